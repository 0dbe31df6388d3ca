#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "check/suppressions.h"
#include "cli/commands.h"
#include "cli/entry.h"
#include "cli/options.h"
#include "cli/shell.h"
#include "conditions/condition.h"
#include "engine/host.h"
#include "explain/what_if.h"
#include "gpus/gpu.h"
#include "session/observation.h"
#include "support/error.h"
#include "support/nearest.h"
#include "support/pattern.h"
#include "support/printable.h"
#include "timing/collectives.h"

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
      ->excludes("--csv")
      ->excludes("--svg");
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
  for (const char* file : {"--csv", "--svg"}) command.get_option(file)->needs(what_if);
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
  if (command == "check") usually("check", "memcheck,racecheck,synccheck");
  if (!config.suppress.empty()) {
    static_cast<void>(check::Suppressions::read(config.suppress));  // fails before the program runs
    set("suppress", std::filesystem::absolute(config.suppress).string());
  }
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
  if (command == "explain" || command == "compare") {
    set("predict", "1");
    usually("profile", std::to_string(session::usual_sample));
    usually("details", "explanation");
  }
  if (command == "tune") {
    set("predict", "1");
    usually("time", "predicted");
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
  if (config.host_clock && config.time != "predicted")
    fail("--host-clock: the GPU's clock is not kept without --time predicted");
  // Before the program starts.
  if (!config.what_if.empty()) {
    explain::parse_all_what_ifs(config.what_if);
    if (!config.predict) fail("--what-if: nothing is predicted");
  }
  // Results are missing anyhow.
  if (config.sampled_only || config.timing_only) usually("matrix", "skip");
}

// "2/8" as two numbers; "" is all of it.
std::pair<unsigned, unsigned> part_of(const std::string& text) {
  static const Pattern form("^[1-9][0-9]{0,5}/[1-9][0-9]{0,5}$");
  if (text.empty()) return {1, 1};
  if (!form.is_in(text)) fail("--part: '{}' is not K/N", text);
  const std::size_t slash = text.find('/');
  const auto part = unsigned(std::stoul(text)),
             parts = unsigned(std::stoul(text.substr(slash + 1)));
  if (part > parts) fail("--part: {} is more than {}", part, parts);
  return {part, parts};
}

// The option of the command that is most like this one.
std::string nearest_option(const CLI::App& command, const std::string& written) {
  std::vector<std::string> names;
  for (const CLI::Option* one : command.get_options())
    for (const std::string& name : one->get_lnames()) names.push_back("--" + name);
  return nearest(written.substr(0, written.find('=')), names);
}

// A program, and what it is compared with: itself on other GPUs, another launch of it, or what
// comes after "--" among its words.
int run_compare(cli::CompareOptions sides, cli::RunOptions program, std::uint64_t other_launch) {
  std::vector<std::string> also = std::move(sides.a.also);
  const auto dashes = std::ranges::find(program.program, "--");
  const bool two = dashes != program.program.end();
  if (int(two) + int(other_launch != 0) + int(!also.empty()) != 1)
    fail("compare: with what? Another program after --, --also GPU,... or --with-launch N");
  sides.b = sides.a = std::move(program);
  sides.a.also = std::move(also);
  if (two) {
    const auto at = std::ranges::find(sides.a.program, "--") - sides.a.program.begin();
    sides.a.program.resize(std::size_t(at));
    sides.b.program.erase(sides.b.program.begin(), sides.b.program.begin() + at + 1);
    if (sides.b.program.empty()) fail("compare: with which program? None comes after --");
  }
  if (other_launch) {
    if (!sides.a.options.config.launch) fail("compare: --with-launch needs --launch");
    sides.b.options.from_command_line(config::row("launch"), std::to_string(other_launch));
  }
  return cli::compare(sides);
}

// What is wrong, and which help says more.
std::string failure_message(const CLI::App* app, const CLI::Error& error) {
  std::string command = "hipsight";
  for (const CLI::App* at = app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    command += " " + at->get_name();
  }
  return fmt::format("{0}: {1} ({0} --help)\n", command, error.what());
}

// The commands in the order of their use: what --help shows them by.
void group(CLI::App& app) {
  const std::pair<const char*, std::vector<const char*>> groups[]{
      {"Run", {"run", "capture", "replay"}},
      {"Understand", {"explain", "predict", "profile", "timeline", "report", "compare"}},
      {"Check", {"check"}},
      {"Improve and track", {"tune", "kpi"}},
      {"GPUs and instructions", {"gpus", "calibrate", "collective", "isa"}},
      {"This installation", {"doctor", "config", "completion"}}};
  for (const auto& [name, commands] : groups)
    for (const char* command : commands) app.get_subcommand(command)->group(name);
}

// Parses the command line and runs the command. @throws CLI::ParseError, Exception.
int dispatch(CLI::App& app, int argc, char** argv) {
  cli::Options options;
  cli::RunOptions program;
  bool no_report = false, no_predict = false, verbose = false;
  std::string gpu;

  app.require_subcommand(1);
  app.failure_message(failure_message);
  app.footer("Of the Python package (docs/python.md): serve-report, plan, mcp.");
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
  cli::CompareOptions sides;
  std::uint64_t other_launch = 0;
  CLI::App* versus = app.add_subcommand(
      "compare", "Say what differs between two programs, two launches or several GPUs, and why");
  versus->footer(
      "two programs:   hipsight compare [OPTIONS] -- A [ARGUMENTS...] -- B [ARGUMENTS...]\n"
      "several GPUs:   hipsight compare [OPTIONS] --also GPU,... -- PROGRAM [ARGUMENTS...]\n"
      "two launches:   hipsight compare [OPTIONS] --launch N --with-launch M -- PROGRAM "
      "[ARGUMENTS...]\n"
      "what is saved:  hipsight compare A B, files that --values wrote\n\n"
      "Exit code: 0 if they could be compared, else 125.");
  versus->add_option("--json", sides.json, "Write it as JSON, too")->type_name("FILE");
  versus->add_option("--also", sides.a.also, "Compare these GPUs with that of --gpu")
      ->type_name("NAME,...")
      ->delimiter(',');
  versus->add_option("--with-launch", other_launch, "Compare this launch with that of --launch")
      ->type_name("N from 1")
      ->check(CLI::PositiveNumber.description(""))
      ->excludes("--also");
  cli::TuneOptions tuning;
  std::string part;
  CLI::App* tune = app.add_subcommand(
      "tune", "Predict a program in many configurations, and say which is the quickest");
  tune->footer(
      "The program and its arguments come last; a parameter in braces stands for its value:\n"
      "  hipsight tune --set N=64,128 -- ./program {N}\n"
      "  hipsight tune --set TILE=16,32 --build 'hipcc -DTILE={TILE} a.hip -o {out}' -- {out}\n"
      "  hipsight tune --set CODE=@folder --grid 64 --block 256 --arg buffer:1M -- {CODE}\n\n"
      "Exit code: 0 if one configuration ran, else 125.");
  tune->add_option("--set", tuning.parameters,
                   "A parameter and its values; @: the files of a folder")
      ->type_name("NAME=VALUE,...|@FOLDER")
      ->required()
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  tune->add_option("--build", tuning.build,
                   "What builds the program, for a shell; {out} is the file that it is to write")
      ->type_name("COMMAND");
  tune->add_option("--log", tuning.log,
                   "Add results to this file as they are found, and begin with what is in it")
      ->type_name("FILE");
  tune->add_option("-j,--jobs", tuning.jobs, "Configurations at a time (default: 1)")
      ->type_name("N from 1")
      ->check(CLI::Range(1, 4096).description(""));
  tune->add_option("--part", part,
                   "Only the K-th of N parts of the configurations: with --log, one "
                   "for each of several machines")
      ->type_name("K/N");
  tune->add_option("--top", tuning.most, "Configurations to tell of (default: 20)")
      ->type_name("N from 1")
      ->check(CLI::PositiveNumber.description(""));
  CLI::Option* const against =
      tune->add_option("--against", tuning.against,
                       "Mark those that no other beats in both time and this figure "
                       "(docs/conditions.md)")
          ->type_name("FIGURE");
  tune->add_option("--csv", tuning.csv, "Write the table as comma-separated values, too")
      ->type_name("FILE");
  tune->add_option("--json", tuning.json, "Write it as JSON, too")->type_name("FILE");
  tune->add_option("--svg", tuning.svg, "Draw time by the figure of --against, too")
      ->type_name("FILE")
      ->needs(against);
  Launch lone;
  for (CLI::App* command :
       {run, profile, predict, explain, timeline, page, check, capture, versus, tune}) {
    options.add(*command, {Group::Machine, Group::Hip, Group::Compiler, Group::Selection});
    lone.add(*command);
    command->prefix_command();
    if (command == page) {
      options.add(*command, "html", "-o,--output")->required();
      for (const char* row : {"report", "json", "csv", "svg", "progress"})
        options.add(*command, row);
    }
    if (command == check) {
      options.add(*command, {Group::Check});
      for (const char* row : {"report", "json", "values", "progress"}) options.add(*command, row);
    }
    if (command == timeline) {
      options.add(*command, "timeline-file", "-o,--output");
      for (const char* row : {"report", "json", "values", "progress"}) options.add(*command, row);
    }
    if (command == page || command == check || command == capture || command == timeline ||
        command == versus || command == tune)
      continue;
    options.add(*command, {Group::Report});
    add_no_report(*command, no_report);
    add_verbose(*command, verbose);
    add_also(*command, program);
  }
  add_no_predict(*run, no_predict);
  for (CLI::App* command : {run, timeline, predict, explain, page, tune})
    options.add(*command, "timing-only");
  for (CLI::App* command : {run, profile, predict, explain, page}) add_what_if(options, *command);
  for (CLI::App* command : {profile, predict, explain, page, versus, tune})
    for (const char* row : {"profile", "sampled-only", "caches", "simulate", "record"})
      if ((command != versus && command != tune) || row != "record"sv) options.add(*command, row);
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
    command->add_option("--gpu", figures.gpu, "Only on this one of its GPUs")->type_name("NAME");
    command->add_option("--folder", figures.folder, "Where programs run; else the suite's folder")
        ->type_name("FOLDER")
        ->check(CLI::ExistingDirectory);
    options.add(*command, "threads");
    options.add(*command, "gpu-path");
  }
  compare->add_flag("--exact", figures.exact,
                    "Whatever differs from what is recorded fails, be it better");
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

  cli::CalibrateOptions fitting;
  CLI::App* calibrate = app.add_subcommand(
      "calibrate", "Fit a GPU's numbers to times that you measured (docs/calibrate.md)");
  calibrate->footer(
      "Exit code: 1 if the fitted numbers are no nearer to the measured times, and then no file is "
      "written.");
  calibrate->add_option("times", fitting.file, "A .csv file: command,microseconds")
      ->type_name("FILE")
      ->required();
  calibrate->add_option("-o,--output", fitting.out, "Write a GPU file with the fitted numbers")
      ->type_name("FILE");
  calibrate->add_option("--fit", fitting.keys, "Only these numbers, by their keys in GPU files")
      ->type_name("KEY,...")
      ->delimiter(',');
  calibrate->add_option("--in", fitting.folder, "Run the commands in this folder")
      ->type_name("FOLDER");
  for (const char* row : {"gpu", "gpu-path", "kernel", "threads"}) options.add(*calibrate, row);

  CLI::App* config = app.add_subcommand(
      "config", "Show every option, its value and where that came from (docs/configuration.md)");
  options.add(*config, {Group::Machine, Group::Hip, Group::Compiler, Group::Selection,
                        Group::Report, Group::Profile, Group::Trace, Group::Check, Group::Capture});

  CLI::App* doctor = app.add_subcommand(
      "doctor", "Say what is here, what is missing for which feature, and how to get it");
  doctor->footer("Exit code: 0 if programs can run, else 125.");
  std::string shell;
  CLI::App* completion = app.add_subcommand(
      "completion", "Print what a shell needs to complete hipsight's commands and options");
  completion->footer("To use it: source <(hipsight completion bash)");
  completion->add_option("shell", shell, "bash, zsh, or man for hipsight(1)")
      ->type_name("SHELL")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "man"}).description(""));

  CLI::App* gpus = app.add_subcommand("gpus", "List the GPUs, or show one with its sources");
  cli::CollectiveOptions collective;
  CLI::App* collective_of = app.add_subcommand(
      "collective", "Say how long an operation of several GPUs would take, by size");
  const auto collectives = timing::collective_names();
  collective_of
      ->add_option(
          "kind", collective.kind,
          "all-reduce (the default), all-gather, reduce-scatter, all-to-all, or send: from "
          "each rank to the next")
      ->type_name("KIND")
      ->check(CLI::IsMember(std::vector<std::string>(collectives.begin(), collectives.end()))
                  .description(""));
  collective_of->add_option("--ranks", collective.operation.ranks, "GPUs of all nodes (default: 8)")
      ->type_name("N");
  collective_of->add_option("--nodes", collective.operation.nodes, "Nodes (default: 1)")
      ->type_name("N");
  collective_of
      ->add_option("--network", collective.operation.network_gb_per_s,
                   "What a GPU's network to other nodes moves in each direction, in GB/s")
      ->type_name("GB/S");
  collective_of
      ->add_option("--busiest", collective.operation.busiest,
                   "All-to-all: what the rank gets that gets most, over the mean (default: 1)")
      ->type_name("X");
  collective_of
      ->add_option("--bytes", collective.bytes, "Sizes of a rank's data (default: 1 KiB to 1 GiB)")
      ->type_name("N,...")
      ->delimiter(',')
      ->transform(CLI::AsSizeValue(false));
  options.add(*collective_of, "gpu");
  options.add(*collective_of, "gpu-path");
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

  group(app);
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (argc == 1) {
    std::fputs(app.help().c_str(), stderr);
    fail("which command?");
  }
  for (const char* one : {"serve-report", "plan", "mcp"})
    if (argc > 1 && argv[1] == std::string_view(one))
      fail("{} is a command of the Python package: pip install it (docs/python.md)", one);
  if (argc > 1 && argv[1][0] != '-' && std::ranges::find(names, argv[1]) == names.end())
    fail("unknown command '{}': did you mean {}? There are: {} (hipsight --help)", argv[1],
         nearest(argv[1], names), fmt::join(names, ", "));

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
  for (const CLI::App* command :
       {run, profile, predict, explain, timeline, page, check, capture, versus, tune}) {
    if (!command->parsed()) continue;
    const std::string name = command->get_name();
    program.program = command->remaining();
    if (!program.program.empty() && program.program.front().starts_with('-'))
      fail("{}: unknown option {}: did you mean {}? (hipsight {} --help)", name,
           program.program.front(), nearest_option(*command, program.program.front()), name);
    if (dashes != end)
      program.program.insert(program.program.end(), program.program.empty() ? dashes + 1 : dashes,
                             end);
    if (command == versus && dashes == end) {
      if (program.program.size() < 2)
        fail("compare: what? hipsight compare [OPTIONS] -- A [ARGUMENTS...] -- B [ARGUMENTS...]");
      sides.saved = std::move(program.program);
      return cli::compare(sides);
    }
    if (program.program.empty())
      fail("{0}: which program? hipsight {0} [OPTIONS] -- PROGRAM [ARGUMENTS...]", name);
    program.launcher = lone.options(loaded.config.kernel);
    if (!program.launcher.empty() && program.program.size() != 1)
      fail("{}: with --grid, one file with device code, not {} words", name,
           program.program.size());
    imply(loaded, name);
    program.options = std::move(loaded);
    if (command == explain) return cli::explain(program);
    if (command == tune) {
      std::tie(tuning.part, tuning.parts) = part_of(part);
      if (!tuning.against.empty() && !program.options.config.profile &&
          conditions::figure(tuning.against) &&
          conditions::figure(tuning.against)->needs == conditions::Needs::Profile)
        program.options.from_command_line(config::row("profile"),
                                          std::to_string(session::usual_sample));
      tuning.run = std::move(program);
      tuning.ranks = config::ranks();
      return cli::tune(tuning);
    }
    if (command == versus) return run_compare(std::move(sides), std::move(program), other_launch);
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
  if (calibrate->parsed()) {
    fitting.options = std::move(loaded);
    return cli::calibrate(fitting);
  }
  if (doctor->parsed()) return cli::doctor(loaded);
  if (completion->parsed()) {
    std::fputs((shell == "bash"  ? cli::bash_completion(app)
                : shell == "zsh" ? cli::zsh_completion(app)
                                 : cli::man_page(app))
                   .c_str(),
               stdout);
    return 0;
  }
  if (config->parsed()) return cli::show_config(loaded);
  if (isa->parsed()) {
    if (!instructions.name.empty()) return cli::show_instruction(instructions);
    if (!coverage) fail("isa: which instruction? hipsight isa NAME, or hipsight isa --coverage");
    return cli::show_coverage(instructions);
  }
  if (collective_of->parsed()) {
    collective.gpu = loaded.config.gpu;
    return cli::show_collective(collective);
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
