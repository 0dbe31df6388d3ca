#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "check/each_workgroup.h"
#include "check/finding.h"
#include "engine/events.h"

namespace hipsight::check {

/// Finds barriers that not all work-items of a workgroup come to: that lanes of a wave pass by, and
/// __syncthreads() of one place at which some waves wait while others wait at that of another. On a
/// GPU a wave counts as there if one lane is, so such kernels may go wrong or seem to work. What
/// programs do with s_barrier themselves, for waves with roles, is theirs. One finding for each
/// barrier, or two of them, told by the first workgroup that had it.
class Synccheck final : public EachWorkgroup {
 public:
  /// After the launch; by addresses of the barriers.
  std::vector<Finding> findings() const { return found_.all(); }

 private:
  class Group;
  std::unique_ptr<engine::GroupObserver> watcher_of(std::uint64_t workgroup) override;
  /// A barrier, and another one or none.
  using Cause = std::pair<const isa::Instruction*, const isa::Instruction*>;
  void add(std::uint64_t workgroup, const Cause& cause, const std::string& who);
  bool is_syncthreads(const isa::Instruction& instruction);

  std::mutex mutex_;
  std::map<const isa::Instruction*, bool> syncthreads_;  ///< that were looked at
  FirstFindings<Cause> found_;
};

}  // namespace hipsight::check
