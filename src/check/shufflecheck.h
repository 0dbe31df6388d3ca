#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "check/each_workgroup.h"
#include "check/finding.h"
#include "engine/events.h"

namespace hipsight::check {

/// Finds __shfl() of lanes that are off: ds_bpermute_b32 then gives 0, whatever the lane holds. It
/// follows every instruction of every wave, which takes long. One finding for each instruction,
/// told by the first workgroup that had it.
class Shufflecheck final : public EachWorkgroup {
 public:
  /// After the launch; by addresses of the instructions.
  std::vector<Finding> findings() const { return found_.all(); }

 private:
  class Group;
  std::unique_ptr<engine::GroupObserver> watcher_of(std::uint64_t workgroup) override;
  struct Read {
    unsigned wave = 0, lane = 0, from = 0;  ///< the first lane, and what it reads
    std::uint64_t count = 0;                ///< lanes
  };
  void add(std::uint64_t workgroup, const isa::Instruction& instruction, const Read& read);

  FirstFindings<const isa::Instruction*> found_;
};

}  // namespace hipsight::check
