#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check/each_workgroup.h"
#include "check/finding.h"
#include "engine/events.h"

namespace hipsight::check {

/// Finds where NaNs and infinities are born that a kernel stores: the instructions that make one of
/// what is none. It follows every instruction of every wave, which takes long. One finding
/// for each instruction and kind, told by the first workgroup that had it; of a workgroup that only
/// passes on what it has loaded, that load.
class Numcheck final : public EachWorkgroup {
 public:
  /// After the launch; by addresses of the instructions.
  std::vector<Finding> findings() const { return found_.all(); }

 private:
  class Group;
  std::unique_ptr<engine::GroupObserver> watcher_of(std::uint64_t workgroup) override;
  enum class Kind : std::uint8_t { Number, Infinity, NaN };
  static Kind kind_of_f32(std::uint32_t bits);
  static Kind kind_of_f16(std::uint32_t bits);
  static Kind kind_of_bf16(std::uint32_t bits);
  static Kind kind_of_f64(std::uint32_t low, std::uint32_t high);

  using Cause = std::pair<const isa::Instruction*, Kind>;
  struct Birth {
    unsigned wave = 0, lane = 0;
    std::uint64_t count = 0;  ///< lanes
    bool loaded = false;      ///< it came from memory
  };
  void add(std::uint64_t workgroup, const Cause& cause, const Birth& birth,
           const isa::Instruction& store);

  FirstFindings<Cause> found_;
};

}  // namespace hipsight::check
