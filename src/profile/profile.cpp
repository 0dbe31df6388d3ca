#include "profile/profile.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace hipsight::profile {
CacheUse& CacheUse::operator+=(const CacheUse& other) {
  l1_loads += other.l1_loads;
  l1_hits += other.l1_hits;
  l2_requests += other.l2_requests;
  l2_hits += other.l2_hits;
  return *this;
}

static CacheUse use_of(const Request& request) {
  CacheUse use{.l2_requests = request.count - request.from_l1, .l2_hits = request.from_l2};
  if (!request.stores) use.l1_loads = request.count, use.l1_hits = request.from_l1;
  return use;
}

Profile profile(const LaunchTrace& trace, const engine::Result& result) {
  Profile profile;
  profile.workgroups = result.workgroups;
  profile.neighbours = trace.neighbours().size();
  profile.observed = profile.neighbours + trace.others().size();
  std::map<const isa::Instruction*, InstructionProfile> by_instruction;
  for (const engine::InstructionCount& count : result.counts) {
    InstructionProfile& row = by_instruction[count.instruction];
    row.executions += count.executions;
    row.lanes += count.lanes;
  }
  for (const std::vector<GroupTrace>* groups : {&trace.neighbours(), &trace.others()}) {
    for (const GroupTrace& group : *groups) {
      profile.cut |= group.cut;
      for (std::size_t r = 0; r < group.executions.size(); ++r)
        for (std::uint32_t i = 0; i < result.regions[r].count; ++i)
          by_instruction[result.regions[r].first + i].observed += group.executions[r].count;
      for (const auto& [instruction, use] : group.uses) by_instruction[instruction].use += use;
    }
  }
  for (const GroupTrace& group : trace.neighbours()) {
    for (const WaveTrace& wave : group.waves) {
      for (const Request& request : wave.requests) {
        if (request.space == engine::Access::Space::Global ||
            request.space == engine::Access::Space::Scratch)
          by_instruction[request.instruction].caches += use_of(request);
      }
    }
  }

  double exact = 0, observed = 0;
  for (auto& [instruction, row] : by_instruction) {
    row.instruction = instruction;
    exact += static_cast<double>(row.executions);
    observed += static_cast<double>(row.observed);
    profile.instructions.push_back(row);
  }
  std::ranges::sort(profile.instructions, {},
                    [](const InstructionProfile& row) { return row.instruction->address; });
  if (exact > 0 && profile.observed)
    profile.sampling_error = std::fabs(observed * static_cast<double>(profile.workgroups) /
                                           static_cast<double>(profile.observed) -
                                       exact) /
                             exact;
  return profile;
}

}  // namespace hipsight::profile
