#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/value_fate.h"
#include "check/finding.h"
#include "check/happens_before.h"
#include "check/shadow.h"
#include "engine/engine.h"
#include "engine/events.h"

namespace hipsight::check {

/// Finds accesses of two waves to the same bytes of LDS or global memory, one of them a store, with
/// nothing that puts them in order, where the wave that loads uses what it gets: in a workgroup a
/// barrier, or atomics on one address; between workgroups, what one has published before the other
/// one acquires it (Order). Whether they collide on a GPU is a matter of time. One finding for each
/// two instructions, told by the first workgroup that had it. For launches whose workgroups run in
/// order (engine::Dispatch::in_order), so the same each time.
class Racecheck final : public engine::Observer {
 public:
  /// `memory`: to name allocations, or null. Outlives the launch.
  explicit Racecheck(const engine::Memory* memory) : memory_(memory) {}
  void launch_begins(const engine::LaunchFacts& launch) override;
  engine::GroupObserver* begins(std::uint64_t workgroup) override;
  /// After the launch; by addresses of the instructions.
  std::vector<Finding> findings() const;
  /// Whether the launch touched more memory than is watched.
  bool is_partial() const { return shadow_.full(); }

 private:
  class Group;
  struct Race {
    Touch before, now;
    bool lds;
    std::uint64_t at;  ///< of the dword
  };
  std::pair<const isa::Instruction*, const isa::Instruction*> region(std::uint32_t number);
  bool in_heap(std::uint64_t address) const;
  void add(const Race& race);
  std::string text(const Race& race) const;

  const engine::Memory* memory_;
  const engine::Listing* listing_ = nullptr;  ///< while the launch runs
  std::uint32_t lds_bytes_ = 0;
  std::string kernel_;
  std::optional<analysis::ValueFate> fates_;
  std::vector<engine::RegionOfCode> regions_;
  Launch launch_;
  Shadow shadow_;
  std::vector<Dword> free_lds_;  ///< of a workgroup that has ended, for the next one
  std::map<std::uint64_t, std::unique_ptr<engine::GroupObserver>> groups_;
  /// By the addresses of both instructions, and whether it is LDS.
  std::map<std::tuple<std::uint64_t, std::uint64_t, bool>, Finding> found_;
};

}  // namespace hipsight::check
