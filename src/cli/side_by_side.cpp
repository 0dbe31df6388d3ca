#include "report/side_by_side.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <span>
#include <vector>

#include "cli/commands.h"
#include "gpus/gpu.h"
#include "hipsight/report_file.h"
#include "support/error.h"
#include "support/files.h"
#include "support/output_file.h"
#include "support/printable.h"

namespace hipsight::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kInterrupted = 128 + SIGINT;

// What a program that failed has said, as far as a person reads it.
std::string last_lines(const std::string& text) {
  constexpr int most = 12;
  std::size_t begin = text.size();
  for (int lines = 0; begin > 0 && lines <= most; --begin)
    if (text[begin - 1] == '\n' && begin != text.size() && ++lines == most) break;
  return text.substr(begin, text.find_last_not_of('\n') + 1 - begin);
}

std::string problem(int code, const std::string& output) {
  if (code == 0) return {};
  const std::string status =
      code > 128 ? fmt::format("signal {}", code - 128) : fmt::format("exit code {}", code);
  return output.empty() ? status : fmt::format("{}\n{}", status, last_lines(output));
}

// To where the report of the first run went.
void write_comparison(const std::string& report, const std::string& text) {
  if (report == "none") return;
  if (report == "stderr")
    std::fputs(text.c_str(), stderr);
  else
    write_output(report, read_file(report) + text);
}

void set(RunOptions& run, const char* name, const std::string& text) {
  run.options.from_command_line(config::row(name), text);
}

// The program as a process of its own, which leaves its report as values, and nothing else.
struct Child {
  RunOptions run;
  fs::path values;

  Child(const RunOptions& options, const fs::path& file) : run(options), values(file) {
    set(run, "json", "");
    set(run, "values", file);
  }
  report::GpuRun came(std::string problem) const {
    report::GpuRun result{gpus::find(run.options.config.gpu).name, {}, std::move(problem)};
    if (auto report = read_report(values)) result.report = *std::move(report);
    return result;
  }
};

}  // namespace

int run_side_by_side(const RunOptions& options) {
  std::vector<report::GpuRun> runs;
  for (const std::string& gpu : options.also) gpus::find(gpu);  // fails before anything runs
  const Config& config = options.options.config;
  if (!config.json.empty()) prepare_output(config.json);
  const TemporaryFolder folder;

  const Child first(options, folder / "0.values");
  const int code = run_process(first.run, {});
  if (code == kNotFound || code == kNotExecutable || code == kUsageError || code == kInterrupted)
    return code;
  runs.push_back(first.came(problem(code, "")));
  if (!runs[0].report) {
    std::fprintf(stderr, "hipsight: the program left no report: nothing to compare\n");
    return code;
  }

  for (const std::string& gpu : options.also) {
    const std::string number = fmt::format("{}", runs.size());
    Child other(options, folder / (number + ".values"));
    set(other.run, "gpu", gpu);
    set(other.run, "report", "none");
    const fs::path output = folder / (number + ".txt");
    const int code_there = run_process(other.run, output);
    if (code_there == kInterrupted) return kInterrupted;
    runs.push_back(other.came(problem(code_there, read_file(output))));
  }
  write_comparison(config.report, report::to_text(runs));
  if (!config.json.empty()) write_output(config.json, report::to_json(runs));
  const bool alone = std::ranges::all_of(
      std::span(runs).subspan(1), [](const report::GpuRun& run) { return !run.problem.empty(); });
  if (alone) std::fprintf(stderr, "hipsight: the program failed on all other GPUs\n");
  return code == 0 && alone ? kUsageError : code;
}

}  // namespace hipsight::cli
