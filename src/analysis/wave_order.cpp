#include "analysis/wave_order.h"

#include <algorithm>
#include <optional>

namespace hipsight::analysis {
namespace {

using isa::Format;

/// What an instruction means to the order of waves.
struct Step {
  LdsUse lds;
  bool barrier = false, call = false;
};

Step step_of(const isa::Instruction& in) {
  return {.lds = lds_use(in),
          .barrier = in.name == "S_BARRIER" || (in.name == "S_BARRIER_WAIT" && in.imm == -1),
          .call = in.name == "S_SWAPPC_B64" || in.name == "S_CALL_B64"};
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
    if (in.name != "S_BRANCH" && !in.name.starts_with("S_CBRANCH_") &&
        !in.name.starts_with("S_SUBVECTOR_LOOP_"))
      return std::nullopt;
    const std::uint64_t to =
        in.address + 4 + static_cast<std::uint64_t>(static_cast<std::int64_t>(in.imm) * 4);
    const auto at = std::ranges::lower_bound(instructions_, to, {}, &isa::Instruction::address);
    if (at == instructions_.end() || at->address != to) return std::nullopt;
    return static_cast<std::size_t>(at - instructions_.begin());
  }
  /// Whether anything changed.
  bool pass() {
    bool changed = false;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!after(i)) continue;
      const std::string_view name = instructions_[i].name;
      const bool ends = name == "S_BRANCH" || name == "S_SETPC_B64" || name.starts_with("S_ENDPGM");
      if (!ends && i + 1 < steps_.size()) loaded_[i + 1] = true;
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
  // Straight from memory to LDS, or back.
  if (in.lds || isa::has(in.name, "_LDS_")) {
    const bool back = isa::has(in.name, "_STORE_LDS_");
    return {.loads = back, .stores = !back};
  }
  const bool flat = in.format == Format::Flat;
  if (in.gds || (!flat && in.format != Format::Ds)) return {};
  const isa::Work work = isa::work_of(in);
  return {.loads = work.bytes_read && (!work.bytes_written || in.returns),
          .stores = work.bytes_written != 0,
          .maybe = flat};
}

std::vector<OvertakingStore> overtaking_stores(std::span<const isa::Instruction> instructions,
                                               bool is_kernel) {
  return Flow(instructions, is_kernel).stores();
}

}  // namespace hipsight::analysis
