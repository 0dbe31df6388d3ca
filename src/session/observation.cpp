#include "session/observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "explain/advice.h"
#include "profile/data_path.h"
#include "profile/footprint.h"
#include "profile/polls.h"
#include "profile/profile.h"
#include "profile/simulate.h"
#include "session/describe.h"
#include "session/locations.h"

namespace hipsight::session {
namespace {

bool workgroups_wait(const profile::LaunchTrace& trace) {
  return std::ranges::any_of(trace.neighbours(), &profile::GroupTrace::awaits) ||
         std::ranges::any_of(trace.others(), &profile::GroupTrace::awaits);
}

Dim3 dimensions(const engine::Dim3& d) {
  return {d.x, d.y, d.z};
}

WhatIf describe(const explain::ThenTaken& then, const explain::WhatIf& what_if,
                const timing::Prediction& now) {
  if (!then.why_none.empty()) return {.change = what_if.text, .why_none = then.why_none};
  return {.change = what_if.text,
          .seconds = then.seconds,
          .gain = 1 - then.seconds / now.seconds,
          .bound = timing::text(then.bound)};
}

std::vector<std::uintptr_t> stored(const gpus::Gpu& gpu, const profile::LaunchTrace& trace) {
  std::vector<std::uintptr_t> lines;
  const std::uintptr_t bytes = profile::request_bytes(gpu, true);
  for (const auto* groups : {&trace.neighbours(), &trace.others()})
    for (const profile::GroupTrace& group : *groups)
      for (const profile::WaveTrace& wave : group.waves)
        for (const profile::Request& one : wave.requests)
          if (one.stores && one.space == engine::Access::Space::Global)
            for (std::uint32_t i = 0; i < one.count; ++i)
              lines.push_back(group.lines[one.first + i] * bytes);
  std::ranges::sort(lines);
  lines.erase(std::ranges::unique(lines).begin(), lines.end());
  return lines;
}

/// In words: the place, and the buffer.
std::string decided_by(const gpus::Gpu& gpu, const profile::LaunchTrace& trace,
                       const engine::Result& result, const engine::Dispatch& dispatch,
                       const Uncomputed& uncomputed) {
  std::string buffer;
  const isa::Instruction* const at =
      profile::decided_by(trace, result, dispatch.kernel->wavefront_size,
                          profile::request_bytes(gpu, false), [&](std::uintptr_t line) {
                            const auto label = uncomputed.find(line);
                            if (label && buffer.empty()) buffer = *label;
                            return label.has_value();
                          });
  if (!at) return "";
  const Location place = Locations(dispatch.module->object()).of(*at);
  return fmt::format(
      "'{}' ({}) goes by what kernels compute, in {}, and --timing-only computes "
      "nothing",
      place.instruction,
      place.file.empty() ? fmt::format("0x{:x}", place.address)
                         : fmt::format("{}:{}", place.file, place.line),
      buffer);
}

std::vector<profile::PeerMemory> peer_memory(const engine::Memory& memory, int device) {
  std::vector<profile::PeerMemory> peers;
  for (const engine::Memory::Allocation& one : memory.all())
    if (one.kind == engine::Memory::Kind::Device && one.device != device)
      peers.push_back({one.begin, one.end(), one.device});
  return peers;
}

}  // namespace

Observation::Observation(const gpus::Gpu& gpu, const Wishes& wishes, engine::Dispatch& dispatch,
                         const engine::Memory* memory, const Uncomputed* uncomputed)
    : gpu_(gpu), wishes_(wishes), dispatch_(dispatch), memory_(memory), uncomputed_(uncomputed) {
  if (wishes.profile == 0) return;
  occupancy_ = timing::occupancy(gpu, resources(gpu, dispatch));
  const std::uint64_t at_once = std::uint64_t{occupancy_.workgroups} * gpu.compute_units *
                                gpu.simds_per_cu / std::max(1u, occupancy_.simds);
  const code::Kernel& kernel = *dispatch.kernel;
  const std::uint64_t lanes = kernel.wavefront_size;
  const std::uint64_t scratch = (std::uint64_t{kernel.scratch_bytes} + 4) * lanes *
                                ((dispatch.block.volume() + lanes - 1) / lanes);
  trace_.emplace(gpu, workgroups(dispatch).volume(), wishes.profile, at_once, scratch);
  dispatch.observers.push_back(&*trace_);
  dispatch.observed_only = wishes.sampled_only;
}

Observed Observation::finish(engine::Result& result) {
  Observed observed;
  if (trace_ && dispatch_.observed_only) trace_->count(result);
  observed.summary.add(result);
  if (wishes_.fidelity) observed.fidelity.emplace().add(result);
  if (!trace_) return observed;
  if (wishes_.timing_only) observed.stored = stored(gpu_, *trace_);
  if (uncomputed_) observed.decided_by = decided_by(gpu_, *trace_, result, dispatch_, *uncomputed_);
  const engine::Result work = profile::forget_polls(*trace_, result);
  profile::simulate(gpu_, *trace_);
  if (memory_)
    trace_->peers = profile::peers(gpu_, *trace_, peer_memory(*memory_, dispatch_.device));
  const bool other_caches = std::ranges::any_of(wishes_.what_if, &explain::WhatIf::other_caches);
  if (!other_caches) trace_->forget_addresses();
  const code::Kernel& kernel = *dispatch_.kernel;
  explain::Launch launch{.gpu = &gpu_,
                         .trace = &*trace_,
                         .result = &work,
                         .resources = resources(gpu_, dispatch_),
                         .occupancy = occupancy_,
                         .wavefront_size = kernel.wavefront_size,
                         .assumptions = wishes_.assumptions};
  const auto add_time = [&](const timing::Prediction& prediction) {
    observed.time = {prediction.seconds, prediction.launch_seconds, workgroups_wait(*trace_),
                     timing::text(prediction.bound)};
  };
  if (wishes_.time && !wishes_.predict) {
    launch.assumptions.more_waves = false;
    add_time(launch.predict());
  }
  if (!wishes_.tables) return observed;
  const code::CodeObject& object = dispatch_.module->object();
  RegisterUse registers = register_use(object, kernel, gpu_, resources(gpu_, dispatch_));
  observed.profile =
      describe(profile::profile(*trace_, result), object, registers, kernel.wavefront_size);
  if (wishes_.predict) {
    const timing::Prediction prediction = launch.predict();
    if (wishes_.time) add_time(prediction);
    observed.prediction = describe(prediction, object);
    add_times(*observed.profile, prediction);
    for (const explain::WhatIf& what_if : wishes_.what_if)
      observed.what_if.push_back(describe(explain::predict(launch, what_if), what_if, prediction));
    trace_->forget_addresses();
    observed.advice = explain::advise(launch, prediction, kernel.vgpr_spills);
    Locations locations(object);
    for (const explain::Advice& one : observed.advice)
      observed.advised_at.push_back(one.at ? locations.of(*one.at) : Location());
  }
  observed.registers = std::move(registers.registers);
  return observed;
}

Tally::Tally(const gpus::Gpu& gpu, const engine::Dispatch& first, std::string range)
    : occupancy_(timing::occupancy(gpu, resources(gpu, first))) {
  report_.kernel = describe(*first.kernel, first.module ? &first.module->object() : nullptr);
  report_.grid = dimensions(workgroups(first));
  report_.block = dimensions(first.block);
  report_.dynamic_lds = first.dynamic_lds;
  report_.occupancy = occupancy_facts(gpu, resources(gpu, first));
  report_.range = std::move(range);
}

bool Tally::takes(const engine::Dispatch& dispatch, const std::string& range) const {
  const code::Kernel& kernel = *dispatch.kernel;
  const KernelFacts& known = report_.kernel;
  return report_.range == range && known.name == kernel.name &&
         report_.block == dimensions(dispatch.block) &&
         report_.dynamic_lds == dispatch.dynamic_lds && known.lds_bytes == kernel.lds_bytes &&
         known.vgprs == kernel.vgprs && known.code_bytes == kernel.code_size;
}

void Tally::add(const engine::Dispatch& dispatch, Observed observed, double seconds) {
  seconds_ += seconds;
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
  predicted_workgroups_ = observed.summary.workgroups;
  advice_ = std::move(observed.advice);
  advised_at_ = std::move(observed.advised_at);
  what_if_ = std::move(observed.what_if);
}

/// Where each launch's time is not known, those with other grids are taken to take as long for a
/// workgroup.
Verdict Tally::verdict() const {
  Verdict verdict;
  if (!report_.prediction) {
    verdict.why_none = "not asked for";
    return verdict;
  }
  const Prediction& p = *report_.prediction;
  verdict.bound = p.bound.sentence;
  verdict.what_if = what_if_;
  const auto launches = static_cast<double>(summary_.launches);
  verdict.seconds = p.launch_seconds * launches +
                    (p.seconds - p.launch_seconds) * static_cast<double>(summary_.workgroups) /
                        static_cast<double>(std::max<std::uint64_t>(1, predicted_workgroups_));
  if (seconds_ > 0) verdict.seconds = seconds_;
  for (std::size_t i = 0; i < advice_.size(); ++i) {
    const explain::Advice& from = advice_[i];
    const double gain = from.gain * (from.but_first ? (launches - 1) / launches : 1);
    if (gain < explain::worth_telling) continue;
    verdict.advice.push_back({std::string(from.id), from.change, from.evidence, advised_at_[i],
                              p.seconds * (1 - gain), gain});
  }
  std::ranges::stable_sort(verdict.advice, std::ranges::greater(), &Advice::gain);
  return verdict;
}

KernelReport Tally::report(const gpus::Gpu& gpu) const {
  KernelReport report = report_;
  report.counts = describe(summary_, report.kernel.wavefront_size);
  report.roofline = roofline(gpu, summary_, occupancy_, report.kernel.wavefront_size);
  report.verdict = verdict();
  if (fidelity_) report.fidelity = describe(*fidelity_);
  return report;
}

}  // namespace hipsight::session
