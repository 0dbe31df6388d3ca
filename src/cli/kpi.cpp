#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "kpi/figures.h"
#include "kpi/suite.h"
#include "session/observation.h"
#include "support/error.h"
#include "support/files.h"
#include "support/output_file.h"
#include "support/printable.h"

namespace hipsight::cli {
namespace {

namespace fs = std::filesystem;

/// Runs a case's program on each of its GPUs.
std::vector<kpi::Measured> measure(const KpiOptions& options, const kpi::Suite& suite,
                                   const kpi::Case& one) {
  RunOptions run;
  run.options = options.options;
  run.program = one.program;
  run.folder = options.folder.empty() ? suite.folder() : fs::absolute(options.folder);
  const auto set = [&](const char* name, const std::string& text) {
    run.options.from_command_line(config::row(name), text);
  };
  set("predict", "1");
  set("profile", std::to_string(session::usual_sample));
  set("time", "predicted");
  for (const auto& [name, text] : one.options) set(name.c_str(), text);
  // A launch whose time is kept from an earlier run would be counted whole, and not by a sample.
  if (run.options.config.sampled_only) set("cache", "off");
  if (!one.kernel.empty()) set("kernel", one.kernel);
  std::vector<kpi::Measured> all;
  for (const std::string& gpu : one.gpus) {
    fmt::print(stderr, "hipsight: {} on {}\n", printable(one.name), printable(gpu));
    const TemporaryFolder scratch;
    const auto came = run_for_report(run, gpu, scratch / "");
    if (!came) fail("interrupted");
    if (!came->problem.empty())
      fail("{} on {}: {}", printable(one.name), printable(gpu), printable(came->problem, true));
    if (!came->report || came->report->kernels.empty())
      fail("{} on {}: no kernel ran{}", printable(one.name), printable(gpu),
           one.kernel.empty() ? "" : fmt::format(" that matches '{}'", printable(one.kernel)));
    const auto kernels = kpi::measure(one, gpu, *came->report);
    all.insert(all.end(), kernels.begin(), kernels.end());
  }
  return all;
}

std::vector<kpi::Measured> recorded(const fs::path& file) {
  return kpi::from_json(read_text(file), file.string());
}

int tell(const KpiOptions& options, const std::vector<kpi::Difference>& differences,
         const std::vector<kpi::Measured>& all) {
  std::fputs(kpi::to_text(differences, all.size()).c_str(), stdout);
  if (!options.junit.empty()) write_output(options.junit, kpi::to_junit(differences, all));
  if (!options.sarif.empty()) write_output(options.sarif, kpi::to_sarif(differences, options.file));
  if (!options.markdown.empty())
    write_output(options.markdown, kpi::to_markdown(differences, all.size()));
  for (const kpi::Difference& one : differences)
    if (one.fails()) return kFinding;
  return 0;
}

}  // namespace

int kpi(const KpiOptions& options) {
  for (const std::string& file : {options.junit, options.sarif, options.markdown})
    if (!file.empty()) prepare_output(file);
  if (options.what == KpiOptions::What::Diff) {
    const auto before = recorded(options.file), now = recorded(options.other);
    return tell(options, kpi::compare(before, now, nullptr), now);
  }
  kpi::Suite suite = kpi::Suite::read(options.file);
  const std::vector<kpi::Case> order = suite.cases;
  std::vector<kpi::Measured> before, kept;
  if (fs::exists(suite.recorded())) before = recorded(suite.recorded());
  if (!options.only.empty()) {
    if (std::erase_if(suite.cases, [&](const auto& one) { return one.name != options.only; });
        suite.cases.empty())
      fail("{}: no case '{}' in it", printable(options.file), printable(options.only));
  }
  if (!options.gpu.empty()) {
    for (kpi::Case& one : suite.cases)
      std::erase_if(one.gpus, [&](const std::string& gpu) { return gpu != options.gpu; });
    if (std::erase_if(suite.cases, [](const auto& one) { return one.gpus.empty(); });
        suite.cases.empty())
      fail("{}: no case is measured on '{}'", printable(options.file), printable(options.gpu));
  }
  // What others of its cases and GPUs have recorded is not compared, and stays.
  std::erase_if(before, [&](const kpi::Measured& one) {
    const bool other = (!options.only.empty() && one.in != options.only) ||
                       (!options.gpu.empty() && one.gpu != options.gpu);
    if (other) kept.push_back(one);
    return other;
  });
  const bool checks = options.what == KpiOptions::What::Check;
  if (checks && before.empty())
    fail("{}: nothing is recorded: hipsight kpi record {}", printable(suite.recorded().string()),
         printable(options.file));
  std::vector<kpi::Measured> now;
  for (const kpi::Case& one : suite.cases) {
    const auto measured = measure(options, suite, one);
    now.insert(now.end(), measured.begin(), measured.end());
  }
  const int code = tell(options, kpi::compare(before, now, &suite, options.exact), now);
  if (checks) return code;
  kept.insert(kept.end(), now.begin(), now.end());
  std::ranges::stable_sort(kept, {}, [&](const kpi::Measured& one) {
    const auto of = std::ranges::find(order, one.in, &kpi::Case::name);
    return std::pair(
        of - order.begin(),
        of == order.end() ? 0 : std::ranges::find(of->gpus, one.gpu) - of->gpus.begin());
  });
  write_output(suite.recorded(), kpi::to_json(kept));
  for (const kpi::Measured& one : now)
    if (!one.broken.empty()) return kFinding;
  return 0;
}

}  // namespace hipsight::cli
