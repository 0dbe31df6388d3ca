#include "profile/polls.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <vector>

namespace hipsight::profile {
namespace {

bool polls(const isa::Instruction& in) {
  return in.row->memory.does == isa::MemoryAccess::Does::Load && isa::is_coherent(in);
}

/// Which steps of a wave ask in vain: those that ask for what it has asked for since it last did
/// anything else with memory; and the steps on the way there.
std::vector<bool> vain_steps(const GroupTrace& group, const WaveTrace& wave) {
  std::vector<bool> vain(wave.path.size());
  std::set<std::uint64_t> asked;
  std::size_t last = 0;  // step that polled
  for (std::size_t at = 0; at < wave.requests.size();) {
    const std::uint32_t step = wave.requests[at].step;
    bool only_polls = true, asks_more = false;
    for (; at < wave.requests.size() && wave.requests[at].step == step; ++at) {
      const Request& request = wave.requests[at];
      only_polls &= polls(*request.instruction);
      for (std::uint32_t i = 0; only_polls && i < request.count; ++i)
        asks_more |= asked.insert(group.lines[request.first + i]).second;
    }
    if (!only_polls)
      asked.clear();
    else if (!asks_more && !asked.empty())
      for (std::size_t i = last + 1; i <= step; ++i) vain[i] = true;
    last = step;
  }
  return vain;
}

/// `polled`: by region, whether a step of it is forgotten.
void forget(GroupTrace& group, WaveTrace& wave, std::vector<bool>& polled) {
  const std::vector<bool> vain = vain_steps(group, wave);
  if (std::ranges::find(vain, true) == vain.end()) return;
  for (std::size_t i = 0; i < wave.path.size(); ++i) {
    if (!vain[i]) continue;
    GroupTrace::Executions& all = group.executions[wave.path[i]];
    all.lanes -= all.lanes / all.count;
    --all.count;
    polled[wave.path[i]] = true;
  }
  wave.drop(vain);
}

}  // namespace

engine::Result forget_polls(LaunchTrace& trace, const engine::Result& all) {
  engine::Result result = all;
  std::vector<bool> polled(result.regions.size());
  for (std::size_t r = 0; r < polled.size(); ++r)
    polled[r] =
        std::ranges::any_of(std::span(result.regions[r].first, result.regions[r].count), polls);
  if (std::ranges::find(polled, true) == polled.end()) return result;
  for (std::vector<GroupTrace>* groups : {&trace.neighbours(), &trace.others()})
    for (GroupTrace& group : *groups)
      for (WaveTrace& wave : group.waves) forget(group, wave, polled);
  const double observed = double(trace.neighbours().size() + trace.others().size());
  if (observed == 0) return result;
  for (std::size_t r = 0; r < polled.size(); ++r) {
    if (!polled[r]) continue;
    const std::span<const isa::Instruction> code{result.regions[r].first, result.regions[r].count};
    double times = 0, lanes = 0;
    for (const auto* groups : {&trace.neighbours(), &trace.others()})
      for (const GroupTrace& group : *groups)
        if (r < group.executions.size()) {
          times += double(group.executions[r].count);
          lanes += double(group.executions[r].lanes);
        }
    const double scale = double(result.workgroups) / observed;
    for (engine::InstructionCount& count : result.counts)
      if (count.instruction >= code.data() && count.instruction < code.data() + code.size()) {
        count.executions = static_cast<std::uint64_t>(std::llround(times * scale));
        count.lanes = static_cast<std::uint64_t>(std::llround(lanes * scale));
      }
  }
  return result;
}

}  // namespace hipsight::profile
