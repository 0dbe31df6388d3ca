#include "analysis/wave_order.h"

#include <algorithm>
#include <optional>

namespace hipsight::analysis {
namespace {

/// What an instruction means to the order of waves.
struct Step {
  LdsUse lds;
  bool barrier = false, call = false;
};

Step step_of(const isa::Instruction& in) {
  return {.lds = lds_use(in),
          .barrier = in.row->control == isa::Control::Barrier ||
                     (in.row->control == isa::Control::BarrierWait && in.imm.number() == -1),
          .call = in.row->control == isa::Control::Call};
}

/// What was done to LDS since the last barrier, or since all waves had last come as far.
struct Seen {
  bool loads = false, stores = false;
  const isa::Row* atomics = nullptr;  ///< of one kind: their order among each other is no matter

  bool operator|=(const Seen& other) {
    const Seen before = *this;
    loads |= other.loads;
    stores |= other.stores || (atomics && other.atomics && atomics != other.atomics);
    if (!atomics) atomics = other.atomics;
    return loads != before.loads || stores != before.stores || atomics != before.atomics;
  }
};

class Flow {
 public:
  Flow(std::span<const isa::Instruction> instructions, bool is_kernel)
      : instructions_(instructions), seen_(instructions.size()), continues_(instructions.size()) {
    for (const isa::Instruction& in : instructions) steps_.push_back(step_of(in));
    find_runs();
    if (!instructions.empty() && !is_kernel) seen_[0] = {.loads = true, .stores = true};
    while (pass()) {
    }
  }

  std::vector<OvertakingStore> stores() const {
    std::vector<OvertakingStore> found;
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (waits(i)) found.push_back({instructions_[i].address, steps_[i].lds.maybe});
    return found;
  }

 private:
  /// Marks stores that come right behind another one.
  void find_runs() {
    std::vector<bool> is_target(steps_.size());
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (const auto to = target(i)) is_target[*to] = true;
    bool runs = false;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const isa::Row& row = *instructions_[i].row;
      const LdsUse& lds = steps_[i].lds;
      const bool plain = lds.stores && !lds.maybe && !row.memory.atomic();
      if (is_target[i] || loads_far(row) || !goes_on(row.control)) runs = false;
      continues_[i] = runs && plain;
      if (lds.stores) runs = plain;
    }
  }
  static bool loads_far(const isa::Row& row) {
    return row.memory.loads() && !row.memory.with_lds() &&
           (row.memory.space == isa::MemoryAccess::Space::Global ||
            row.memory.space == isa::MemoryAccess::Space::Flat);
  }
  static bool goes_on(isa::Control control) {
    return control == isa::Control::None || control == isa::Control::Wait ||
           control == isa::Control::Hint;
  }

  /// Whether all waves come as far before a store.
  bool waits(std::size_t i) const {
    const Seen& seen = seen_[i];
    if (!steps_[i].lds.stores) return false;
    if (seen.loads) return true;
    return !continues_[i] &&
           (seen.stores || (seen.atomics && seen.atomics != instructions_[i].row));
  }
  Seen after(std::size_t i) const {
    const Step& step = steps_[i];
    if (step.call) return {.loads = true, .stores = true};
    if (step.barrier) return {};
    Seen seen = seen_[i];
    if (waits(i) && !step.lds.maybe) seen = {};
    const bool atomic = instructions_[i].row->memory.atomic();
    seen |= {.loads = step.lds.loads,
             .stores = step.lds.stores && !atomic,
             .atomics = step.lds.stores && atomic ? instructions_[i].row : nullptr};
    return seen;
  }
  std::optional<std::size_t> target(std::size_t i) const {
    const isa::Instruction& in = instructions_[i];
    if (!in.row->has_target()) return std::nullopt;
    const std::uint64_t to = branch_target(in);
    const auto at = std::ranges::lower_bound(instructions_, to, {}, &isa::Instruction::address);
    if (at == instructions_.end() || at->address != to) return std::nullopt;
    return static_cast<std::size_t>(at - instructions_.begin());
  }
  /// Whether anything changed that an earlier instruction sees.
  bool pass() {
    bool changed = false;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Seen seen = after(i);
      if (!instructions_[i].row->ends_path() && i + 1 < steps_.size()) seen_[i + 1] |= seen;
      const auto to = target(i);
      const bool new_there = to && (seen_[*to] |= seen);
      changed |= new_there && *to <= i;
    }
    return changed;
  }

  std::span<const isa::Instruction> instructions_;
  std::vector<Step> steps_;
  std::vector<Seen> seen_;       ///< before each, on any path
  std::vector<bool> continues_;  ///< a run of stores
};

}  // namespace

LdsUse lds_use(const isa::Instruction& in) {
  const isa::MemoryAccess& memory = in.row->memory;
  // Straight from memory to LDS, or back.
  if (memory.with_lds()) {
    const bool back = memory.layout == isa::MemoryAccess::Layout::FromLds;
    return {.loads = back, .stores = !back};
  }
  const bool flat = memory.space == isa::MemoryAccess::Space::Flat;
  if (in.gds || (!flat && memory.space != isa::MemoryAccess::Space::Lds)) return {};
  return {.loads = memory.loads() && (!memory.atomic() || in.returns),
          .stores = memory.stores(),
          .maybe = flat};
}

std::vector<OvertakingStore> overtaking_stores(std::span<const isa::Instruction> instructions,
                                               bool is_kernel) {
  return Flow(instructions, is_kernel).stores();
}

}  // namespace hipsight::analysis
