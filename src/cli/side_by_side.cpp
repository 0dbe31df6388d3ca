#include "report/side_by_side.h"

#include <fmt/format.h>

#include <algorithm>
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

}  // namespace

int run_side_by_side(const RunOptions& options) {
  std::vector<report::GpuRun> runs;
  for (const std::string& gpu : options.also) gpus::find(gpu);  // fails before anything runs
  const Config& config = options.options.config;
  if (!config.json.empty()) prepare_output(config.json);
  const TemporaryFolder folder;

  const fs::path values = folder / "first.values";
  RunOptions first = options;
  set(first, "json", "");
  set(first, "values", values);
  const int code = run_process(first);
  if (code == kNotFound || code == kNotExecutable || code == kUsageError || code == kInterrupted)
    return code;
  runs.push_back({gpus::find(config.gpu).name, {}, problem(code, "")});
  if (auto report = read_report(values)) runs[0].report = *std::move(report);
  if (!runs[0].report) {
    std::fprintf(stderr, "hipsight: the program left no report: nothing to compare\n");
    return code;
  }

  for (const std::string& gpu : options.also) {
    auto came = run_for_report(options, gpu, folder / "");
    if (!came) return kInterrupted;
    runs.push_back(*std::move(came));
  }
  write_comparison(config.report, report::to_text(runs));
  if (!config.json.empty()) write_output(config.json, report::to_json(runs));
  const bool alone = std::ranges::all_of(
      std::span(runs).subspan(1), [](const report::GpuRun& run) { return !run.problem.empty(); });
  if (alone) std::fprintf(stderr, "hipsight: the program failed on all other GPUs\n");
  return code == 0 && alone ? kUsageError : code;
}

}  // namespace hipsight::cli
