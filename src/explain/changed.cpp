#include "explain/changed.h"

#include "profile/cache.h"

namespace hipsight::explain {

profile::LaunchTrace& Changed::trace() {
  if (!trace_) trace_ = std::make_unique<profile::LaunchTrace>(*launch_.trace);
  launch_.trace = trace_.get();
  return *trace_;
}

engine::Result& Changed::result() {
  if (!result_) result_ = *launch_.result;
  launch_.result = &*result_;
  return *result_;
}

gpus::Gpu& Changed::gpu() {
  if (!gpu_) gpu_ = *launch_.gpu;
  launch_.gpu = &*gpu_;
  return *gpu_;
}

void Changed::leave_out(timing::Rewrite::Instructions instructions) {
  auto& without = rewrite().without;
  if (without) instructions.insert(without->begin(), without->end());
  without = std::make_shared<const timing::Rewrite::Instructions>(std::move(instructions));
}

void Changed::simulate_caches() {
  profile::simulate_caches(*launch_.gpu, trace());
}

std::string Changed::why_none() const {
  const timing::Occupancy occupancy = timing::occupancy(*launch_.gpu, launch_.resources);
  return occupancy.workgroups == 0 ? timing::text(occupancy) : "";
}

timing::Prediction Changed::predict() {
  launch_.occupancy = timing::occupancy(*launch_.gpu, launch_.resources);
  return launch_.predict();
}

}  // namespace hipsight::explain
