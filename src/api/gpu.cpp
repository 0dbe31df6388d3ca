#include <chrono>
#include <cmath>
#include <utility>

#include "api/objects.h"

namespace hipsight::api {
namespace {

engine::Options engine_options(const GpuOptions& options) {
  engine::Options result;
  result.threads = options.threads;
  result.timeout =
      std::chrono::milliseconds(std::llround(std::ceil(options.timeout_seconds * 1000)));
  result.strict = options.strict;
  result.tier = options.interpret ? engine::Tier::Interpret : engine::Tier::Auto;
  result.matrix = options.exact_matrix  ? engine::MatrixMode::Exact
                  : options.timing_only ? engine::MatrixMode::Skip
                                        : engine::MatrixMode::Fast;
  return result;
}

}  // namespace

OpenGpu::OpenGpu(gpus::Gpu gpu, const GpuOptions& options)
    : gpu_(std::move(gpu)),
      timing_only_(options.timing_only),
      engine_(gpu_, engine_options(options)),
      host_(engine_, gpu_, [this](const std::string& text) { note(text); }) {
  engine_.on_overrun([this](const std::string& text) { note(text); });
}

void OpenGpu::note(const std::string& text) {
  const std::lock_guard lock(mutex_);
  findings_.push_back({text});
}

std::vector<Finding> OpenGpu::take_findings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(findings_, {});
}

}  // namespace hipsight::api
