#include "session/observation.h"

#include <algorithm>
#include <utility>

#include "profile/cache.h"
#include "profile/profile.h"
#include "session/describe.h"

namespace hipsight::session {
namespace {

Dim3 dimensions(const engine::Dim3& d) {
  return {d.x, d.y, d.z};
}

}  // namespace

Observation::Observation(const gpus::Gpu& gpu, const Wishes& wishes, engine::Dispatch& dispatch)
    : gpu_(gpu), wishes_(wishes), dispatch_(dispatch) {
  if (wishes.profile == 0) return;
  occupancy_ = timing::occupancy(gpu, resources(gpu, dispatch));
  const std::uint64_t at_once = std::uint64_t{occupancy_.workgroups} * gpu.compute_units *
                                gpu.simds_per_cu / std::max(1u, occupancy_.simds);
  const code::Kernel& kernel = *dispatch.kernel;
  const std::uint64_t lanes = kernel.wavefront_size;
  const std::uint64_t scratch = (std::uint64_t{kernel.scratch_bytes} + 4) * lanes *
                                ((dispatch.block.volume() + lanes - 1) / lanes);
  trace_.emplace(gpu, workgroups(dispatch).volume(), wishes.profile, at_once, scratch);
  dispatch.observer = &*trace_;
  dispatch.observed_only = wishes.sampled_only;
}

Observed Observation::finish(engine::Result& result) {
  Observed observed;
  if (trace_ && dispatch_.observed_only) trace_->count(result);
  observed.summary.add(result);
  if (wishes_.fidelity) observed.fidelity.emplace().add(result);
  if (!trace_) return observed;
  profile::simulate_caches(gpu_, *trace_);
  const code::CodeObject& object = dispatch_.module->object();
  const code::Kernel& kernel = *dispatch_.kernel;
  RegisterUse registers = register_use(object, kernel, gpu_, resources(gpu_, dispatch_));
  observed.profile =
      describe(profile::profile(*trace_, result), object, registers, kernel.wavefront_size);
  observed.registers = std::move(registers.registers);
  if (wishes_.predict)
    observed.prediction = describe(timing::predict(gpu_, *trace_, result, occupancy_,
                                                   kernel.wavefront_size, wishes_.assumptions),
                                   object);
  return observed;
}

Tally::Tally(const gpus::Gpu& gpu, const engine::Dispatch& first)
    : occupancy_(timing::occupancy(gpu, resources(gpu, first))) {
  report_.kernel = describe(*first.kernel, first.module ? &first.module->object() : nullptr);
  report_.grid = dimensions(workgroups(first));
  report_.block = dimensions(first.block);
  report_.dynamic_lds = first.dynamic_lds;
  report_.occupancy = describe(occupancy_);
}

bool Tally::takes(const engine::Dispatch& dispatch) const {
  const code::Kernel& kernel = *dispatch.kernel;
  const KernelFacts& known = report_.kernel;
  return known.name == kernel.name && report_.block == dimensions(dispatch.block) &&
         report_.dynamic_lds == dispatch.dynamic_lds && known.lds_bytes == kernel.lds_bytes &&
         known.vgprs == kernel.vgprs && known.code_bytes == kernel.code_size;
}

void Tally::add(const engine::Dispatch& dispatch, Observed observed) {
  report_.grids_differ |= report_.grid != dimensions(workgroups(dispatch));
  summary_.add(observed.summary);
  if (observed.fidelity) {
    if (!fidelity_) fidelity_.emplace();
    fidelity_->add(*observed.fidelity);
  }
  if (!observed.profile) return;
  report_.registers = std::move(observed.registers);
  report_.profile = std::move(observed.profile);
  report_.prediction = std::move(observed.prediction);
}

KernelReport Tally::report(const gpus::Gpu& gpu) const {
  KernelReport report = report_;
  report.counts = describe(summary_, report.kernel.wavefront_size);
  report.verdict = verdict(gpu, summary_, occupancy_, report.kernel.wavefront_size);
  if (fidelity_) report.fidelity = describe(*fidelity_);
  return report;
}

}  // namespace hipsight::session
