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

class Flow {
 public:
  Flow(std::span<const isa::Instruction> instructions, bool is_kernel)
      : instructions_(instructions), loaded_(instructions.size()) {
    for (const isa::Instruction& in : instructions) steps_.push_back(step_of(in));
    if (!instructions.empty()) loaded_[0] = !is_kernel;
    while (pass()) {
    }
  }

  std::vector<OvertakingStore> stores() const {
    std::vector<OvertakingStore> found;
    for (std::size_t i = 0; i < steps_.size(); ++i)
      if (loaded_[i] && steps_[i].lds.stores)
        found.push_back({instructions_[i].address, steps_[i].lds.maybe});
    return found;
  }

 private:
  bool after(std::size_t i) const {
    const Step& step = steps_[i];
    if (step.lds.loads || step.call) return true;
    if (step.barrier) return false;
    // Before a store, the others have come as far.
    return loaded_[i] && (!step.lds.stores || step.lds.maybe);
  }
  std::optional<std::size_t> target(std::size_t i) const {
    const isa::Instruction& in = instructions_[i];
    if (!in.row->has_target()) return std::nullopt;
    const std::uint64_t to = branch_target(in);
    const auto at = std::ranges::lower_bound(instructions_, to, {}, &isa::Instruction::address);
    if (at == instructions_.end() || at->address != to) return std::nullopt;
    return static_cast<std::size_t>(at - instructions_.begin());
  }
  /// Whether anything changed.
  bool pass() {
    bool changed = false;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!after(i)) continue;
      if (!instructions_[i].row->ends_path() && i + 1 < steps_.size()) loaded_[i + 1] = true;
      if (const auto to = target(i); to && !loaded_[*to]) {
        loaded_[*to] = true;
        changed |= *to <= i;
      }
    }
    return changed;
  }

  std::span<const isa::Instruction> instructions_;
  std::vector<Step> steps_;
  std::vector<bool> loaded_;  ///< before each: some path comes from a load, past no barrier
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
