#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <regex>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "support/error.h"

namespace {

using namespace hipsight;
using namespace std::literals;

std::string check_regex(const std::string& pattern) try {
  const std::regex regex(pattern);
  return {};
} catch (const std::regex_error& error) {
  return fmt::format("'{}' is no regular expression: {}", pattern, error.what());
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
  command.add_flag("--strict", options.strict,
                   "Accesses just beyond an allocation, on its last page, are errors too");
}

// Parses the command line and runs the command. @throws CLI::ParseError, Error.
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
  add_machine(*run, options);
  run->add_option("--also", options.also, "Run it on these GPUs, too, and compare the verdicts")
      ->type_name("NAME,...")
      ->delimiter(',');
  add_selection(*run, options);
  run->add_option("--report", options.report_file, "Write the report here, not to stderr")
      ->type_name("FILE");
  run->add_option("--json", options.json_file, "Write the report as JSON, too")->type_name("FILE");
  run->add_flag("--no-report", options.no_report, "No report on stderr")->excludes("--report");
  run->add_flag("--progress{5}", options.progress_seconds,
                "Say every 5 s, or --progress=SECONDS, how far it is (a terminal is told anyway)")
      ->check(CLI::Range(1e-3, 1e9).description(""));
  run->prefix_command();

  CLI::App* gpus = app.add_subcommand("gpus", "List the GPUs, or show one with its sources");
  gpus->add_option("name", gpu, "GPU name or a GPU file")->type_name("NAME");

  if (argc > 1 && argv[1][0] != '-' && argv[1] != "run"sv && argv[1] != "gpus"sv)
    fail("unknown command '{}'; there are: run, gpus (hipsight --help)", argv[1]);

  // The program's own words must not be parsed: they begin after "--", or at the first word that is
  // no option.
  char** const end = argv + argc;
  char** const dashes = std::find_if(argv, end, [](const char* word) { return word == "--"sv; });
  app.parse(int(dashes - argv), argv);
  if (run->parsed()) {
    options.program = run->remaining();
    if (!options.program.empty() && options.program.front().starts_with('-'))
      fail("run: unknown option {}", options.program.front());
    if (dashes != end)
      options.program.insert(options.program.end(), options.program.empty() ? dashes + 1 : dashes,
                             end);
    if (options.program.empty())
      fail("run: which program? hipsight run [OPTIONS] -- PROGRAM [ARGUMENTS...]");
    return options.also.empty() ? cli::run(options) : cli::run_side_by_side(options);
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
    std::fprintf(stderr, "hipsight: %s\n", error.what());
    return cli::kUsageError;
  }
}
