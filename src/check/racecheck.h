#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "check/finding.h"
#include "engine/events.h"

namespace hipsight::check {

/// Finds accesses of two waves of a workgroup to the same bytes of LDS, one of them a store, with
/// nothing between that puts them in order: a barrier, or atomics on one address. Whether they
/// collide on a GPU is a matter of time. One finding for each two instructions, told by the first
/// workgroup that had it: the same on any number of host threads.
class Racecheck final : public engine::Observer {
 public:
  void launch_begins(const engine::LaunchFacts& launch) override;
  engine::GroupObserver* begins(std::uint64_t workgroup) override;
  /// After the launch; by addresses of the instructions.
  std::vector<Finding> findings() const;

 private:
  class Group;
  /// The two instructions, the first one of the program's order first.
  using Cause = std::pair<const isa::Instruction*, const isa::Instruction*>;
  struct First {
    std::uint64_t workgroup = 0;
    Finding finding;
  };
  void add(std::uint64_t workgroup, const Cause& cause, const std::string& where);
  std::string text(const Cause& cause, std::uint64_t workgroup, const std::string& where) const;

  const engine::Listing* listing_ = nullptr;  ///< while the launch runs
  std::uint32_t lds_bytes_ = 0;
  std::string kernel_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::unique_ptr<engine::GroupObserver>> groups_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, First> found_;  ///< by the addresses
};

}  // namespace hipsight::check
