#include "session/launch_times.h"

#include <cmath>

#include "code/readable_name.h"
#include "timing/assumed.h"

namespace hipsight::session {
namespace {

/// Work that differs by no more is taken to last as long: workgroups that meet in atomics may try
/// them a few times more.
constexpr double alike = 0.01;

double instructions(const engine::Result& result) {
  double sum = 0;
  for (const engine::InstructionCount& one : result.counts) sum += double(one.executions);
  return sum;
}

}  // namespace

LaunchTimes::Asked LaunchTimes::ask(const engine::Dispatch& dispatch) {
  const std::lock_guard lock(mutex_);
  Asked asked{.key = keys_.of(dispatch)};
  const auto found = known_.find(asked.key);
  asked.predict = found == known_.end() || found->second.varies;
  return asked;
}

LaunchTimes::Taken LaunchTimes::add(const Asked& asked, const engine::Result& result,
                                    const Observed::Time& predicted) {
  const std::lock_guard lock(mutex_);
  Known& known = known_[asked.key];
  known.time = predicted;
  known.instructions = instructions(result);
  return {predicted.seconds, predicted.bound};
}

LaunchTimes::Taken LaunchTimes::of(const Asked& asked, const engine::Dispatch& dispatch,
                                   const engine::Result& result) {
  const std::lock_guard lock(mutex_);
  Known& known = known_.at(asked.key);
  const auto& [seconds, launch, waits, bound] = known.time;
  const double now = instructions(result);
  // How often those ask that wait for others is a matter of the emulation.
  if (waits || std::fabs(now - known.instructions) <= alike * known.instructions)
    return {seconds, bound};
  known.varies = true;
  note(dispatch, "the same arguments meant other work");
  return {launch + (seconds - launch) * now / known.instructions, bound};
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
