#include "report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cli/commands.h"
#include "gpus/gpu.h"
#include "hipsight/report_file.h"
#include "support/error.h"
#include "support/files.h"
#include "support/output_file.h"
#include "support/printable.h"

namespace hipsight::cli {
namespace {

using report::Differs;
using report::Side;

std::string words(const RunOptions& run) {
  std::string text;
  for (const std::string& word : run.program) text += (text.empty() ? "" : " ") + word;
  return text;
}

Side saved(const std::string& file) {
  auto report = read_report(file);
  if (!report) fail("{}", report.error().text);
  return {file, *std::move(report)};
}

}  // namespace

int compare(const CompareOptions& options) {
  if (!options.json.empty()) prepare_output(options.json);
  std::vector<Side> sides;
  Differs how = Differs::Program;
  if (!options.saved.empty()) {
    for (const std::string& file : options.saved) sides.push_back(saved(file));
    const auto is_as_first = [&](const Side& side) {
      return side.report.gpu.name == sides[0].report.gpu.name;
    };
    how = std::ranges::all_of(sides, is_as_first) ? Differs::Program : Differs::Gpu;
  } else {
    for (const std::string& gpu : options.a.also) gpus::find(gpu);  // fails before anything runs
    const TemporaryFolder scratch;
    const auto add = [&](const RunOptions& run, const std::string& gpu, std::string name) {
      auto came = run_for_report(run, gpu, scratch / "");
      if (!came) return false;
      if (!came->problem.empty()) fail("{}: {}", printable(name), printable(came->problem, true));
      if (!came->report) fail("{}: it left no report: it called no HIP", printable(name));
      sides.push_back({std::move(name), *std::move(came->report)});
      return true;
    };
    const std::string& gpu = options.a.options.config.gpu;
    if (!options.a.also.empty()) {
      how = Differs::Gpu;
      std::vector<std::string> all = options.a.also;
      all.insert(all.begin(), gpu);
      for (const std::string& one : all)
        if (!add(options.a, one, fmt::format("{} on {}", words(options.a), one)))
          return kInterrupted;
    } else {
      const std::string launch = options.a.options.config.launch
                                     ? fmt::format(", launch {}", options.a.options.config.launch)
                                     : "";
      const std::string other = options.b.options.config.launch
                                    ? fmt::format(", launch {}", options.b.options.config.launch)
                                    : "";
      if (!add(options.a, gpu, "a: " + words(options.a) + launch) ||
          !add(options.b, gpu, "b: " + words(options.b) + other))
        return kInterrupted;
    }
  }
  if (how == Differs::Program && sides.size() != 2)
    fail("compare: two sides on one GPU, not {}", sides.size());
  if (const std::string reason = report::why_not(sides, how); !reason.empty())
    fail("compare: {}", reason);
  std::fputs(report::compare_text(sides, how).c_str(), stdout);
  if (!options.json.empty()) write_output(options.json, report::compare_json(sides, how));
  return 0;
}

}  // namespace hipsight::cli
