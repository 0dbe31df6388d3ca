#include "session/launch_times.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "code/readable_name.h"
#include "timing/assumed.h"

namespace hipsight::session {
namespace {

/// Work that differs by no more is taken to last as long: workgroups that meet in atomics may try
/// them a few times more.
constexpr double alike = 0.01;

/// Lists of pages, lengths and the like, by which a kernel decides what it does, are small.
constexpr std::size_t most_input_bytes = std::size_t{1} << 20;

double instructions(const engine::Result& result) {
  double sum = 0;
  for (const engine::InstructionCount& one : result.counts) sum += double(one.executions);
  return sum;
}

}  // namespace

LaunchTimes::Asked LaunchTimes::ask(const engine::Dispatch& dispatch) {
  const std::lock_guard lock(mutex_);
  Asked asked{.key = keys_.of(dispatch)};
  const auto [found, is_new] = known_.try_emplace(asked.key.text);
  if (is_new) {
    const auto kept = kept_ ? kept_->find(asked.key.text) : std::nullopt;
    if (!kept) {
      known_.erase(found);
      asked.predict = true;
      return asked;
    }
    found->second.time = {kept->seconds, kept->launch, kept->waits, kept->bound};
    found->second.instructions = kept->instructions;
  }
  asked.predict = found->second.varies;
  return asked;
}

LaunchTimes::Taken LaunchTimes::add(const Asked& asked, const engine::Result& result,
                                    const Observed::Time& predicted) {
  const std::lock_guard lock(mutex_);
  Known& known = known_[asked.key.text];
  known.time = predicted;
  known.instructions = instructions(result);
  if (kept_)
    kept_->keep(asked.key.text, {predicted.seconds, predicted.launch, known.instructions,
                                 predicted.waits, predicted.bound});
  return {predicted.seconds, predicted.bound};
}

LaunchTimes::Taken LaunchTimes::of(const Asked& asked, const engine::Dispatch& dispatch,
                                   const engine::Result& result) {
  const std::lock_guard lock(mutex_);
  Known& known = known_.at(asked.key.text);
  const auto& [seconds, launch, waits, bound] = known.time;
  const double now = instructions(result);
  // How often those ask that wait for others is a matter of the emulation.
  if (waits || std::fabs(now - known.instructions) <= alike * known.instructions)
    return {seconds, bound};
  known.varies = true;
  note(dispatch, "the same arguments meant other work");
  return {launch + (seconds - launch) * now / known.instructions, bound};
}

std::shared_ptr<const engine::Result> LaunchTimes::repeated(Asked& asked) {
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(asked.key.text);
  if (known == known_.end() || !known->second.result ||
      known->second.inputs != sum_of_inputs(asked, known->second)) {
    asked.predict = true;
    return nullptr;
  }
  return known->second.result;
}

void LaunchTimes::keep(const Asked& asked, const engine::Result& result,
                       const std::vector<std::uintptr_t>& stored) {
  const std::lock_guard lock(mutex_);
  Known& known = known_.at(asked.key.text);
  known.result = std::make_shared<const engine::Result>(result);
  known.stored.clear();
  for (const engine::Memory::Allocation& one : asked.key.allocations) {
    const auto first = std::ranges::lower_bound(stored, one.begin);
    known.stored.push_back(first != stored.end() && *first < one.end());
  }
  known.inputs = sum_of_inputs(asked, known);
}

std::uint64_t LaunchTimes::sum_of_inputs(const Asked& asked, const Known& known) const {
  std::uint64_t sum = 0;
  const auto& allocations = asked.key.allocations;
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    const engine::Memory::Allocation& one = allocations[i];
    if (known.stored[i]) continue;
    sum = sum * 31 + (uncomputed_ && uncomputed_->find(one.begin));
    if (one.size > most_input_bytes) continue;
    const std::string_view bytes(reinterpret_cast<const char*>(one.begin), one.size);
    sum = sum * 31 + std::hash<std::string_view>{}(bytes);
  }
  return sum;
}

LaunchTimes::Taken LaunchTimes::estimate(const engine::Dispatch& dispatch,
                                         const engine::Result& result, const std::string& why) {
  const std::lock_guard lock(mutex_);
  note(dispatch, why);
  const double a_second = double(gpu_.compute_units) * gpu_.simds_per_cu * gpu_.clock_ghz * 1e9;
  return {gpu_.launch_us.value_or(timing::assumed::launch_us) * 1e-6 +
              instructions(result) * gpu_.issue_cycles / a_second,
          ""};
}

void LaunchTimes::doubt(const engine::Dispatch& dispatch, const std::string& why) {
  const std::lock_guard lock(mutex_);
  note(dispatch, why);
}

void LaunchTimes::note(const engine::Dispatch& dispatch, const std::string& why) {
  ++estimated_[{code::readable_name(dispatch.kernel->name), why}];
}

std::vector<EstimatedLaunches> LaunchTimes::estimated() const {
  const std::lock_guard lock(mutex_);
  std::vector<EstimatedLaunches> result;
  for (const auto& [what, launches] : estimated_)
    result.push_back({what.first, what.second, launches});
  return result;
}

}  // namespace hipsight::session
