#include "profile/profile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "profile/cache.h"

namespace hipsight::profile {
namespace {

/// Sends the neighbours' requests through an L1 for each compute unit and the L2 of their XCD,
/// which begin empty. Waves take turns, a request each.
std::unordered_map<const isa::Instruction*, CacheUse> simulate(const gpus::Gpu& gpu,
                                                               const LaunchTrace& trace) {
  std::unordered_map<const isa::Instruction*, CacheUse> uses;
  constexpr unsigned l2_line = 128;  // AMD CDNA3 and CDNA4 white papers; RDNA ISA guides
  const std::size_t units = std::max(1u, gpu.compute_units / gpu.xcds);
  const std::vector<GroupTrace>& groups = trace.neighbours();
  std::vector<Cache> l1(std::min(units, groups.size()),
                        Cache(gpu.l1_bytes_per_cu.value_or(16384), request_bytes(gpu, false)));
  Cache l2(gpu.l2_bytes / gpu.xcds, l2_line);
  for (std::size_t turn = 0, active = 1; active; ++turn) {
    active = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const std::vector<Request>& wave : groups[g].requests) {
        if (turn >= wave.size()) continue;
        ++active;
        const Request& request = wave[turn];
        const bool stores = isa::work_of(*request.instruction).bytes_written != 0;
        CacheUse& use = uses[request.instruction];
        for (std::uint32_t i = 0; i < request.count; ++i) {
          const std::uint64_t number = groups[g].lines[request.first + i];
          if (!stores) {
            ++use.l1_loads;
            if (l1[g % l1.size()].touch(number)) {
              ++use.l1_hits;
              continue;
            }
          }
          ++use.l2_requests;
          if (l2.touch(number * request_bytes(gpu, stores) / l2_line)) ++use.l2_hits;
        }
      }
    }
  }
  return uses;
}

}  // namespace

CacheUse& CacheUse::operator+=(const CacheUse& other) {
  l1_loads += other.l1_loads;
  l1_hits += other.l1_hits;
  l2_requests += other.l2_requests;
  l2_hits += other.l2_hits;
  return *this;
}

Profile profile(const gpus::Gpu& gpu, const LaunchTrace& trace, const engine::Result& result) {
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
          by_instruction[result.regions[r].first + i].observed += group.executions[r];
      for (const auto& [instruction, use] : group.uses) by_instruction[instruction].use += use;
    }
  }
  for (const auto& [instruction, use] : simulate(gpu, trace))
    by_instruction[instruction].caches += use;

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
