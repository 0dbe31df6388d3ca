#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "report/wave_trace.h"
#include "support/error.h"
#include "support/pattern.h"
#include "support/printable.h"

namespace {

using namespace hipsight;
using namespace std::literals;

constexpr unsigned kSample = 64;

std::string check_regex(const std::string& pattern) try {
  static_cast<void>(Pattern(pattern));
  return {};
} catch (const Exception& error) {
  return error.what();
}

// Which launches of the program are meant.
void add_selection(CLI::App& command, cli::RunOptions& options) {
  command.add_option("--kernel", options.kernel, "Only kernels with this in their demangled name")
      ->type_name("REGEX")
      ->check(CLI::Validator(check_regex, ""));
  command.add_option("--launch", options.launch, "Only the N-th launch of those, from 1")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62).description(""));
}

void add_machine(CLI::App& command, cli::RunOptions& options) {
  command.add_option("--gpu", options.gpu, "GPU name (see 'hipsight gpus') or a GPU file")
      ->type_name("NAME");
  command.add_option("--gpus", options.gpus, "How many of that GPU the program sees (default: 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 64).description(""));
  command.add_option("--timeout", options.timeout_seconds, "Longest time of one kernel launch")
      ->type_name("SECONDS")
      ->check(CLI::Range(1e-3, 1e9).description(""));
  command.add_option("--threads", options.threads, "Host threads (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096).description(""));
  command
      .add_option("--matrix", options.matrix,
                  "How matrix instructions sum: fast (default), or exact as measured on GPUs")
      ->type_name("MODE")
      ->check(CLI::IsMember({"fast", "exact"}).description(""));
  command.add_flag("--strict", options.strict,
                   "Accesses just beyond an allocation, on its last page, are errors too");
}

void add_also(CLI::App& command, cli::RunOptions& options) {
  command.add_option("--also", options.also, "Run it on these GPUs, too, and compare the verdicts")
      ->type_name("NAME,...")
      ->delimiter(',');
}

// Where the report goes, and what it tells beside the verdict.
void add_report(CLI::App& command, cli::RunOptions& options) {
  command.add_option("--report", options.report_file, "Write the report here, not to stderr")
      ->type_name("FILE");
  command.add_option("--json", options.json_file, "Write the report as JSON, too")
      ->type_name("FILE");
  command.add_flag("--fidelity", options.fidelity,
                   "Say which instructions were exact, approximate or assumed");
  command.add_flag("--no-report", options.no_report, "No report on stderr")->excludes("--report");
  command
      .add_flag("--progress{5}", options.progress_seconds,
                "Say every 5 s, or --progress=SECONDS, how far it is (a terminal is told anyway)")
      ->check(CLI::Range(1e-3, 1e9).description(""));
}

// What launches one kernel of a file with device code, in place of a program.
struct Launch {
  std::string grid, block, lds;
  std::vector<std::string> arguments;

  void add(CLI::App& command) {
    const auto extent = CLI::Validator(
        [](std::string& text) {
          static const Pattern form("^[1-9][0-9]{0,9}(,[1-9][0-9]{0,9}){0,2}$");
          return form.is_in(text) ? "" : text + " is not X[,Y[,Z]]";
        },
        "");
    CLI::Option* first = command
                             .add_option("--grid", grid,
                                         "The program is a file with device code: launch one of "
                                         "its kernels in so many workgroups")
                             ->type_name("X[,Y[,Z]]")
                             ->check(extent);
    command.add_option("--block", block, "With --grid: work-items of a workgroup")
        ->type_name("X[,Y[,Z]]")
        ->check(extent)
        ->needs(first);
    command.add_option("--lds", lds, "With --grid: bytes of dynamic LDS")
        ->type_name("BYTES")
        ->check(CLI::NonNegativeNumber.description(""))
        ->needs(first);
    command
        .add_option("--arg", arguments,
                    "With --grid: the kernel's next argument, as f32:1.5, i32:1000, buffer:16M, "
                    "buffer:16M:f16 (filled), buffer:@FILE, same:N, null or bytes:HEX")
        ->type_name("VALUE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->allow_extra_args(false)  // the next word may be the file
        ->needs(first);
  }
  // For hipsight_launch.
  std::vector<std::string> options(const std::string& kernel) const {
    if (grid.empty()) return {};
    if (block.empty()) fail("--grid needs --block: work-items of a workgroup");
    std::vector<std::string> words{"--grid", grid, "--block", block};
    if (!kernel.empty()) words.insert(words.end(), {"--kernel", kernel});
    if (!lds.empty()) words.insert(words.end(), {"--lds", lds});
    for (const std::string& argument : arguments) words.insert(words.end(), {"--arg", argument});
    return words;
  }
};

std::string check_wave(const std::string& wave) try {
  report::TraceOptions::parse(wave);
  return {};
} catch (const Exception& error) {
  return error.what();
}

// A wave of the first launch that is selected.
void add_trace(CLI::App& command, cli::RunOptions& options) {
  CLI::Option* trace = command
                           .add_option("--trace", options.trace,
                                       "Show each instruction that one wave of the first launch "
                                       "runs, and the registers that it writes")
                           ->type_name("WORKGROUP[:WAVE]")
                           ->check(CLI::Validator(check_wave, ""))
                           ->excludes("--also");
  command.add_option("--trace-file", options.trace_file, "Write that here, not to stderr")
      ->type_name("FILE")
      ->needs(trace);
}

// Parses the command line and runs the command. @throws CLI::ParseError, Exception.
int dispatch(CLI::App& app, int argc, char** argv) {
  cli::RunOptions options;
  std::string gpu;

  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.set_version_flag("--version", std::string("hipsight ") + HIPSIGHT_VERSION);

  CLI::App* run = app.add_subcommand("run", "Run a HIP program on an emulated GPU");
  run->footer(
      "The program and its arguments come last: hipsight run [OPTIONS] -- PROGRAM "
      "[ARGUMENTS...]\n\n"
      "Exit code: the program's own; 86 after a kernel error, 124 after a kernel that ran too "
      "long,\n"
      "if the program itself returned 0; 125 for a wrong command line; 126, 127 as in shells.");
  Launch lone;
  add_machine(*run, options);
  lone.add(*run);
  add_also(*run, options);
  add_selection(*run, options);
  add_report(*run, options);
  add_trace(*run, options);
  run->prefix_command();

  unsigned sample = kSample;
  CLI::App* profile =
      app.add_subcommand("profile", "Run a program and say what its kernels did, line by line");
  CLI::App* predict =
      app.add_subcommand("predict", "Run a program and say how long its kernels would take");
  for (CLI::App* command : {profile, predict}) {
    command->footer(
        fmt::format("The program and its arguments come last: hipsight {} [OPTIONS] -- PROGRAM "
                    "[ARGUMENTS...]\n\n"
                    "Of the first launch of each kernel that is selected. Exit code: as of run.",
                    command->get_name()));
    add_machine(*command, options);
    lone.add(*command);
    add_also(*command, options);
    add_selection(*command, options);
    add_report(*command, options);
    command
        ->add_option("--sample", sample,
                     fmt::format("Workgroups whose accesses are observed (default: {})", kSample))
        ->type_name("N")
        ->check(CLI::Range(1, 1 << 20).description(""));
    command->add_flag("--sampled-only", options.sampled_only,
                      "Run no other workgroups of those launches: quick, but their results are "
                      "missing");
    command
        ->add_option("--caches", options.caches,
                     "What caches hold when a launch begins: nothing of its data (cold, the "
                     "default), the MALL all of it, or L2 and MALL what fits (warm)")
        ->check(CLI::IsMember({"cold", "mall", "warm"}).description("cold|mall|warm"))
        ->type_name("");
    command
        ->add_option("--simulate", options.simulate,
                     "Instructions of a compute unit's waves that are simulated; the rest is "
                     "extrapolated (default: 20000000)")
        ->type_name("N")
        ->check(CLI::PositiveNumber.description(""));
    command
        ->add_option("--record", options.recording_file,
                     "Write what a prediction needs of the last such launch")
        ->type_name("FILE");
    command->prefix_command();
  }

  CLI::App* capture =
      app.add_subcommand("capture", "Run a program and write one of its launches to a file");
  capture->footer(
      "The program and its arguments come last: hipsight capture --launch N -o FILE -- PROGRAM "
      "[ARGUMENTS...]\n\n"
      "Exit code: as of run; 125 if there is no such launch.");
  std::string capture_file;
  add_machine(*capture, options);
  lone.add(*capture);
  add_selection(*capture, options);
  capture->add_option("-o,--output", capture_file, "The file to write")
      ->type_name("FILE")
      ->required();
  capture->prefix_command();

  cli::ReplayOptions again;
  CLI::App* replay = app.add_subcommand("replay", "Run a captured launch again");
  replay->footer(
      "Exit code: 0 if memory then holds what it held after the captured launch, else 1; 86 after "
      "a "
      "kernel\nerror, 124 after a timeout; 125 if the file cannot be used.");
  replay->add_option("file", again.file, "A file that 'hipsight capture' wrote")
      ->type_name("FILE")
      ->required();
  replay->add_option("--gpu", again.gpu, "Another GPU that runs the same code, or a GPU file")
      ->type_name("NAME");
  replay->add_option("--timeout", again.timeout_seconds, "Longest time of the launch")
      ->type_name("SECONDS")
      ->check(CLI::Range(1e-3, 1e9).description(""));
  replay->add_option("--dump", again.dump_file, "Write a digest of each allocation; -: to stdout")
      ->type_name("FILE");
  replay->add_option("--report", again.report_file, "Write the report here, not to stderr")
      ->type_name("FILE");
  replay->add_option("--json", again.json_file, "Write the report as JSON, too")->type_name("FILE");
  replay->add_flag(fmt::format("--profile{{{}}}", kSample), again.profile,
                   "Say line by line what it did, observing that many workgroups");
  replay->add_flag("--no-report", again.no_report, "No report on stderr")->excludes("--report");

  CLI::App* gpus = app.add_subcommand("gpus", "List the GPUs, or show one with its sources");
  gpus->add_option("name", gpu, "GPU name or a GPU file")->type_name("NAME");

  cli::IsaOptions instructions;
  bool coverage = false;
  CLI::App* isa = app.add_subcommand("isa", "Show what an instruction does, or which are there");
  isa->add_option("name", instructions.name, "As the assembler has it: v_fma_f32")
      ->type_name("NAME");
  isa->add_flag("--coverage", coverage, "The share of all opcodes that hipsight runs");
  isa->add_flag("--missing", instructions.missing, "Name those that it does not run");
  isa->add_flag("--json", instructions.json, "Coverage as JSON");
  isa->add_option("--target", instructions.targets, "Only for these processors")
      ->type_name("gfx942,...")
      ->delimiter(',');

  const auto is_asked = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && std::ranges::none_of(app.get_subcommands({}), is_asked))
    fail(
        "unknown command '{}'; there are: run, profile, predict, capture, replay, gpus, isa "
        "(hipsight "
        "--help)",
        argv[1]);

  // The program's own words must not be parsed: they begin after "--", or at the first word that is
  // no option.
  char** const end = argv + argc;
  char** const dashes = std::find_if(argv, end, [](const char* word) { return word == "--"sv; });
  app.parse(int(dashes - argv), argv);
  for (const CLI::App* command : {run, profile, predict, capture}) {
    if (!command->parsed()) continue;
    const std::string name = command->get_name();
    options.program = command->remaining();
    if (!options.program.empty() && options.program.front().starts_with('-'))
      fail("{}: unknown option {}", name, options.program.front());
    if (dashes != end)
      options.program.insert(options.program.end(), options.program.empty() ? dashes + 1 : dashes,
                             end);
    if (options.program.empty())
      fail("{0}: which program? hipsight {0} [OPTIONS] -- PROGRAM [ARGUMENTS...]", name);
    options.launcher = lone.options(options.kernel);
    if (!options.launcher.empty() && options.program.size() != 1)
      fail("{}: with --grid, one file with device code, not {} words", name,
           options.program.size());
    if (command == capture) {
      options.no_report = true;
      return cli::capture(options, capture_file);
    }
    if (command == profile || command == predict) options.profile = sample;
    options.predict = command == predict;
    return options.also.empty() ? cli::run(options) : cli::run_side_by_side(options);
  }
  if (replay->parsed()) return cli::replay(again);
  if (isa->parsed()) {
    if (!instructions.name.empty()) return cli::show_instruction(instructions);
    if (!coverage) fail("isa: which instruction? hipsight isa NAME, or hipsight isa --coverage");
    return cli::show_coverage(instructions);
  }
  return gpu.empty() ? cli::list_gpus() : cli::show_gpu(gpu);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("hipsight runs HIP programs on emulated AMD GPUs and says what bounds them.",
               "hipsight");
  try {
    return dispatch(app, argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help, the version or the error
    return code == 0 ? 0 : cli::kUsageError;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hipsight: %s\n", printable(error.what(), true).c_str());
    return cli::kUsageError;
  }
}
