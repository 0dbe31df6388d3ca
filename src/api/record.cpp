#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "api/answer.h"
#include "api/objects.h"
#include "config/tools.h"

namespace hipsight::api {
namespace {

std::string checked_tools(const std::string& tools, bool timing_only) {
  if (tools.empty()) return tools;
  if (timing_only)
    fail(Error::Kind::Usage, "check", "a GPU that computes no results cannot be checked");
  for (std::string_view left = tools;;) {
    const std::string_view tool = left.substr(0, left.find(','));
    if (tool == "leakcheck")
      fail(Error::Kind::Usage, "check", "leakcheck is of a whole program: `hipsight check` has it");
    if (std::ranges::find(config::tools, tool) == config::tools.end())
      fail(
          Error::Kind::Usage, "check",
          fmt::format("there is no tool '{}': there are {}", tool, fmt::join(config::tools, ", ")));
    if (tool.size() == left.size()) return tools;
    left.remove_prefix(tool.size() + 1);
  }
}

session::Wishes wishes_of(const RecordConfig& config, bool timing_only) {
  session::Wishes wishes;
  wishes.check = checked_tools(config.check, timing_only);
  wishes.profile = config.profile || !config.predict ? config.profile : session::usual_sample;
  wishes.predict = wishes.time = config.predict;
  wishes.timing_only = timing_only;
  wishes.fidelity = config.fidelity;
  wishes.assumptions.caches = config.caches;
  return wishes;
}

/// As session::Tally puts launches together.
bool is_of(const KernelReport& launch, const KernelReport& kernel) {
  return launch.kernel.name == kernel.kernel.name && launch.block == kernel.block &&
         launch.dynamic_lds == kernel.dynamic_lds &&
         launch.kernel.code_bytes == kernel.kernel.code_bytes;
}

/// What was said before is counted.
void add_findings(std::vector<Finding>& to, const std::vector<Finding>& found) {
  for (const Finding& one : found) {
    const auto known = std::ranges::find(to, one.text, &Finding::text);
    if (known == to.end())
      to.push_back(one);
    else
      known->count += one.count;
  }
}

}  // namespace

Recorder::Recorder(OpenGpu& gpu, const RecordConfig& config)
    : session_(gpu.gpu(), wishes_of(config, gpu.timing_only()), {}, &gpu.engine().memory()) {}

void Recorder::add(const KernelReport& report, const session::Session::Launch& launch,
                   const std::string& range) {
  const std::lock_guard lock(mutex_);
  launches_.push_back({report.kernel.title, report.grid, report.block, report.dynamic_lds,
                       launch.seconds(), launch.bound(), range});
  if (!report.findings.empty())
    with_findings_.push_back({.kernel = report.kernel,
                              .block = report.block,
                              .dynamic_lds = report.dynamic_lds,
                              .findings = report.findings});
}

RunReport Recorder::report() const {
  RunReport report = session_.report();
  const std::lock_guard lock(mutex_);
  for (KernelReport& kernel : report.kernels)
    for (const KernelReport& launch : with_findings_)
      if (is_of(launch, kernel)) add_findings(kernel.findings, launch.findings);
  return report;
}

std::vector<RecordedLaunch> Recorder::launches() const {
  const std::lock_guard lock(mutex_);
  return launches_;
}

void OpenGpu::begin(std::shared_ptr<Recorder> recorder) {
  const std::lock_guard lock(mutex_);
  recorders_.push_back(std::move(recorder));
}

void OpenGpu::end(const Recorder& recorder) {
  const std::lock_guard lock(mutex_);
  std::erase_if(recorders_, [&](const auto& one) { return one.get() == &recorder; });
}

std::vector<std::shared_ptr<Recorder>> OpenGpu::recorders() const {
  const std::lock_guard lock(mutex_);
  return recorders_;
}

OpenRecording::OpenRecording(Reference<OpenGpu> gpu, const RecordConfig& config)
    : gpu_(std::move(gpu)), recorder_(std::make_shared<Recorder>(gpu_.get(), config)) {
  gpu_->begin(recorder_);
}

}  // namespace hipsight::api
