#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "cli/entry.h"
#include "cli/options.h"
#include "conditions/condition.h"
#include "engine/host.h"
#include "explain/what_if.h"
#include "gpus/gpu.h"
#include "session/observation.h"
#include "support/error.h"
#include "support/pattern.h"
#include "support/printable.h"

namespace {

using namespace hipsight;
using namespace std::literals;

using config::Group;

void add_also(CLI::App& command, cli::RunOptions& run) {
  command.add_option("--also", run.also, "Run it on these GPUs, too, and compare the verdicts")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->excludes("--values")
      ->excludes("--html")
      ->excludes("--csv");
}

void add_no_report(CLI::App& command, bool& no_report) {
  command.add_flag("--no-report", no_report, "No report on stderr")->excludes("--report");
}

void add_verbose(CLI::App& command, bool& verbose) {
  command.add_flag("-v,--verbose", verbose, "All sections: --details all")->excludes("--details");
}

void add_no_predict(CLI::App& command, bool& no_predict) {
  command.add_flag("--no-predict", no_predict, "Count what kernels do, but do not predict them");
}

void add_what_if(cli::Options& options, CLI::App& command) {
  CLI::Option* const what_if = options.add(command, "what-if")->join(' ');
  command.get_option("--csv")->needs(what_if);
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

// What a command asks for by its name, unless it is told otherwise.
void imply(config::Loaded& options, std::string_view command) {
  const Config& config = options.config;
  const auto set = [&](const char* name, const std::string& text) {
    options.from_command_line(config::row(name), text);
  };
  const auto usually = [&](const char* name, const std::string& text) {
    if (options.origin(config::row(name)) == config::Origin::Default) set(name, text);
  };
  if (command == "check") usually("check", "memcheck,racecheck");
  if (command == "capture") set("report", "none");
  // A trace takes the place of what predictions observe; and somebody must read them.
  ConditionFacts needs;
  if (!config.fail_if.empty()) needs = conditions::Condition(config.fail_if).facts();
  const bool read = config.report != "none" || !config.json.empty() || !config.values.empty() ||
                    !config.html.empty() || needs.profile || needs.prediction;
  if ((command == "run" || command == "replay") && config.trace.empty() && read)
    usually("predict", "1");
  // Who is told how long kernels take on the GPU, wants to be told so by the program, too.
  if (command == "run" && config.predict) usually("time", "predicted");
  if (command == "report") {
    set("predict", "1");
    usually("report", "none");
  }
  if (command == "explain") {
    set("predict", "1");
    usually("profile", std::to_string(session::usual_sample));
    usually("details", "explanation");
  }
  if (command == "timeline") {
    set("time", "predicted");
    set("timeline", "1");
  }
  if (command == "profile" || command == "predict") {
    set("predict", "1");
    usually("profile", std::to_string(session::usual_sample));
    usually("details", command == "profile" ? "all" : "advice,counts,prediction,registers,roofs");
  }
  // Before the program starts.
  if (!config.what_if.empty()) {
    explain::parse_all_what_ifs(config.what_if);
    if (!config.predict) fail("--what-if: nothing is predicted");
  }
  // Results are missing anyhow.
  if (config.sampled_only) usually("matrix", "skip");
}

// Parses the command line and runs the command. @throws CLI::ParseError, Exception.
int dispatch(CLI::App& app, int argc, char** argv) {
  cli::Options options;
  cli::RunOptions program;
  bool no_report = false, no_predict = false, verbose = false;
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
  CLI::App* profile =
      app.add_subcommand("profile", "Run a program and say what its kernels did, line by line");
  CLI::App* predict =
      app.add_subcommand("predict", "Run a program and say how long its kernels would take");
  for (CLI::App* command : {profile, predict})
    command->footer(
        fmt::format("The program and its arguments come last: hipsight {} [OPTIONS] -- PROGRAM "
                    "[ARGUMENTS...]\n\n"
                    "Of the first launch of each kernel that is selected. Exit code: as of run.",
                    command->get_name()));
  CLI::App* explain = app.add_subcommand(
      "explain", "Say what bounds kernels, where their time goes, and what to change");
  explain->footer(
      "What comes last is a program and its arguments, a HIP source that is compiled first, a "
      "file\n"
      "that 'hipsight capture' wrote, or a file with device code: hipsight explain [OPTIONS] -- "
      "WHAT\n\n"
      "Of the first launch of each kernel that is selected. Exit code: as of run.");
  CLI::App* timeline = app.add_subcommand(
      "timeline", "Say what a program does on the GPU's clock: kernels, copies, gaps, waits");
  timeline->footer(
      "The program and its arguments come last: hipsight timeline [OPTIONS] -- PROGRAM "
      "[ARGUMENTS...]\n\n"
      "Exit code: as of run.");
  CLI::App* page = app.add_subcommand(
      "report", "Run a program and write a page about its kernels that a browser opens offline");
  page->footer(
      "The program and its arguments come last: hipsight report -o FILE -- PROGRAM "
      "[ARGUMENTS...]\n\n"
      "Of the first launch of each kernel that is selected. Exit code: as of run.");
  CLI::App* check = app.add_subcommand("check", "Run a program and say what its kernels do wrong");
  check->footer(
      "The program and its arguments come last: hipsight check [OPTIONS] -- PROGRAM "
      "[ARGUMENTS...]\n\n"
      "Exit code: as of run; 87 if something was found and the program returned 0.");
  CLI::App* capture =
      app.add_subcommand("capture", "Run a program and write one of its launches to a file");
  capture->footer(
      "The program and its arguments come last: hipsight capture --launch N -o FILE -- PROGRAM "
      "[ARGUMENTS...]\n\n"
      "Exit code: as of run; 125 if there is no such launch.");
  Launch lone;
  for (CLI::App* command : {run, profile, predict, explain, timeline, page, check, capture}) {
    options.add(*command, {Group::Machine, Group::Hip, Group::Compiler, Group::Selection});
    lone.add(*command);
    command->prefix_command();
    if (command == page) {
      options.add(*command, "html", "-o,--output")->required();
      for (const char* row : {"report", "json", "csv", "progress"}) options.add(*command, row);
    }
    if (command == check) {
      options.add(*command, {Group::Check});
      for (const char* row : {"report", "json", "values", "progress"}) options.add(*command, row);
    }
    if (command == timeline) {
      options.add(*command, "timeline-file", "-o,--output");
      for (const char* row : {"report", "json", "values", "progress"}) options.add(*command, row);
    }
    if (command == page || command == check || command == capture || command == timeline) continue;
    options.add(*command, {Group::Report});
    add_no_report(*command, no_report);
    add_verbose(*command, verbose);
    add_also(*command, program);
  }
  add_no_predict(*run, no_predict);
  for (CLI::App* command : {run, profile, predict, explain, page}) add_what_if(options, *command);
  for (CLI::App* command : {profile, predict, explain, page})
    for (const char* row : {"profile", "sampled-only", "caches", "simulate", "record"})
      options.add(*command, row);
  CLI::Option* trace = options.add(*run, "trace")->excludes("--also");
  options.add(*run, "trace-file")->needs(trace);
  options.add(*capture, "capture", "-o,--output")->required();

  cli::ReplayOptions again;
  CLI::App* replay = app.add_subcommand("replay", "Run a captured launch again");
  replay->footer(
      "Exit code: 0 if memory then holds what it held after the captured launch, else 1; 86 after "
      "a "
      "kernel\nerror, 87 if the condition of --fail-if holds, 124 after a timeout; 125 if the file "
      "cannot be used.");
  replay->add_option("file", again.file, "A file that 'hipsight capture' wrote")
      ->type_name("FILE")
      ->required();
  replay->add_option("--dump", again.dump_file, "Write a digest of each allocation; -: to stdout")
      ->type_name("FILE");
  for (const char* row : {"gpu-path", "threads", "timeout", "strict", "engine", "host-isa",
                          "host-cpu", "cache", "cache-size"})
    options.add(*replay, row);
  options.add(*replay, "gpu")->description("Another GPU that runs the same code, or a GPU file");
  options.add(*replay, {Group::Report});
  bool profiled = false;
  replay->add_flag("--profile", profiled, "Say line by line what it did");
  options.add(*replay, "profile");
  add_what_if(options, *replay);
  add_no_report(*replay, no_report);
  add_verbose(*replay, verbose);
  add_no_predict(*replay, no_predict);

  cli::KpiOptions figures;
  CLI::App* kpi = app.add_subcommand(
      "kpi", "Record figures of kernels in a file, and fail when they get worse (docs/kpi.md)");
  kpi->require_subcommand(1);
  CLI::App* record = kpi->add_subcommand("record", "Measure, and write down what was measured");
  CLI::App* compare = kpi->add_subcommand("check", "Measure, and compare with what is recorded");
  CLI::App* diff = kpi->add_subcommand("diff", "Compare two files of figures");
  for (CLI::App* command : {record, compare}) {
    command->add_option("suite", figures.file, "What is to be measured: a .toml file")
        ->type_name("FILE")
        ->required();
    command->add_option("--case", figures.only, "Only this one")->type_name("NAME");
    options.add(*command, "threads");
    options.add(*command, "gpu-path");
  }
  diff->add_option("before", figures.file, "A file that 'hipsight kpi record' wrote")
      ->type_name("FILE")
      ->required();
  diff->add_option("now", figures.other, "Another one")->type_name("FILE")->required();
  for (CLI::App* command : {compare, diff}) {
    command->footer("Exit code: 87 if something is worse.");
    command->add_option("--junit", figures.junit, "Write it as JUnit's XML, too")
        ->type_name("FILE");
    command->add_option("--sarif", figures.sarif, "Write it as SARIF, too")->type_name("FILE");
    command->add_option("--markdown", figures.markdown, "Write it as Markdown, too")
        ->type_name("FILE");
  }

  CLI::App* config = app.add_subcommand(
      "config", "Show every option, its value and where that came from (docs/configuration.md)");
  options.add(*config, {Group::Machine, Group::Hip, Group::Compiler, Group::Selection,
                        Group::Report, Group::Profile, Group::Trace, Group::Check, Group::Capture});

  CLI::App* gpus = app.add_subcommand("gpus", "List the GPUs, or show one with its sources");
  cli::CollectiveOptions collective;
  CLI::App* all_reduce = app.add_subcommand(
      "all-reduce", "Say how long an all-reduce over the GPUs of a node would take, by size");
  all_reduce->add_option("--ranks", collective.ranks, "GPUs (default: 8)")->type_name("N");
  all_reduce
      ->add_option("--bytes", collective.bytes, "Sizes of a rank's data (default: 1 KiB to 1 GiB)")
      ->type_name("N,...")
      ->delimiter(',')
      ->transform(CLI::AsSizeValue(false));
  options.add(*all_reduce, "gpu");
  options.add(*all_reduce, "gpu-path");
  gpus->add_option("name", gpu, "GPU name or a GPU file")->type_name("NAME");
  options.add(*gpus, "gpu-path");

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
        "unknown command '{}'; there are: run, profile, predict, explain, timeline, report, check, "
        "capture, replay, kpi, all-reduce, gpus, isa (hipsight --help)",
        argv[1]);

  // The program's own words must not be parsed: they begin after "--", or at the first word that is
  // no option.
  char** const end = argv + argc;
  char** const dashes = std::find_if(argv, end, [](const char* word) { return word == "--"sv; });
  app.parse(int(dashes - argv), argv);
  config::Loaded loaded = options.load();
  if (no_report) loaded.from_command_line(config::row("report"), "none");
  if (no_predict) loaded.from_command_line(config::row("predict"), "0");
  if (verbose) loaded.from_command_line(config::row("details"), "all");
  gpus::use_folders(loaded.config.gpu_path);
  engine::set_host(engine::Host::of(loaded.config));
  for (const CLI::App* command : {run, profile, predict, explain, timeline, page, check, capture}) {
    if (!command->parsed()) continue;
    const std::string name = command->get_name();
    program.program = command->remaining();
    if (!program.program.empty() && program.program.front().starts_with('-'))
      fail("{}: unknown option {}", name, program.program.front());
    if (dashes != end)
      program.program.insert(program.program.end(), program.program.empty() ? dashes + 1 : dashes,
                             end);
    if (program.program.empty())
      fail("{0}: which program? hipsight {0} [OPTIONS] -- PROGRAM [ARGUMENTS...]", name);
    program.launcher = lone.options(loaded.config.kernel);
    if (!program.launcher.empty() && program.program.size() != 1)
      fail("{}: with --grid, one file with device code, not {} words", name,
           program.program.size());
    imply(loaded, name);
    program.options = std::move(loaded);
    if (command == explain) return cli::explain(program);
    return program.also.empty() ? cli::run(program) : cli::run_side_by_side(program);
  }
  if (replay->parsed()) {
    imply(loaded, profiled ? "profile" : "replay");
    again.options = std::move(loaded);
    return cli::replay(again);
  }
  if (kpi->parsed()) {
    figures.options = std::move(loaded);
    figures.what = record->parsed()    ? cli::KpiOptions::What::Record
                   : compare->parsed() ? cli::KpiOptions::What::Check
                                       : cli::KpiOptions::What::Diff;
    return cli::kpi(figures);
  }
  if (config->parsed()) return cli::show_config(loaded);
  if (isa->parsed()) {
    if (!instructions.name.empty()) return cli::show_instruction(instructions);
    if (!coverage) fail("isa: which instruction? hipsight isa NAME, or hipsight isa --coverage");
    return cli::show_coverage(instructions);
  }
  if (all_reduce->parsed()) {
    collective.gpu = loaded.config.gpu;
    return cli::show_all_reduce(collective);
  }
  return gpu.empty() ? cli::list_gpus() : cli::show_gpu(gpu);
}

}  // namespace

int hipsight_command(int argc, char** argv) {
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
