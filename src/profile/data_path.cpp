#include "profile/data_path.h"

#include <algorithm>
#include <bitset>
#include <set>

#include "isa/operand_use.h"

namespace hipsight::profile {
namespace {

using Loads = std::set<const isa::Instruction*>;

/// Registers, and the rest of a wave's state, that hold what comes of loaded values.
class Held {
 public:
  bool has(const isa::Operand& operand, unsigned registers) const {
    for (unsigned i = 0; i < registers; ++i)
      if (const std::size_t at = place(operand, i); at < registers_.size() && registers_[at])
        return true;
    return false;
  }
  void set(const isa::Operand& operand, unsigned registers, bool value) {
    for (unsigned i = 0; i < registers; ++i)
      if (const std::size_t at = place(operand, i); at < registers_.size()) registers_[at] = value;
  }
  bool has(const isa::Implied& named) const {
    return (named.scc && scc_) || (named.vcc && has(scalar(vcc), 2)) ||
           (named.exec && has(scalar(exec), 2)) || (named.m0 && has(scalar(m0), 1));
  }
  void set(const isa::Implied& named, bool value) {
    if (named.scc) scc_ = value;
    if (named.vcc) set(scalar(vcc), 2, value);
    if (named.exec) set(scalar(exec), 2, value);
    if (named.m0) set(scalar(m0), 1, value);
  }
  bool operator==(const Held&) const = default;

  bool lds = false, scratch = false;

 private:
  // As operands encode them.
  static constexpr std::uint16_t vcc = 106, m0 = 124, exec = 126;
  static isa::Operand scalar(std::uint16_t index) {
    isa::Operand operand;
    operand.where = isa::Where::Sgpr;
    operand.index = index;
    return operand;
  }
  static std::size_t place(const isa::Operand& operand, unsigned further) {
    const std::size_t index = operand.index + further;
    switch (operand.where) {
      case isa::Where::Vgpr:
        return index < 1024 ? index : ~std::size_t{0};
      case isa::Where::Agpr:
        return index < 256 ? 1024 + index : ~std::size_t{0};
      case isa::Where::Sgpr:
        return index < 128 ? 1280 + index : ~std::size_t{0};
      default:
        return ~std::size_t{0};
    }
  }

  std::bitset<1408> registers_;
  bool scc_ = false;
};

class Follower {
 public:
  Follower(const std::vector<engine::RegionOfCode>& regions, unsigned lanes, const Loads& loads)
      : regions_(regions), lanes_(lanes), loads_(loads) {}

  const isa::Instruction* follow(const WaveTrace& wave) {
    Held held;
    for (const std::uint32_t region : wave.path) {
      Known& known = known_[region];  // a loop soon does the same as before
      if (!known.walked || !(known.before == held)) {
        known = {true, held, held};
        for (const isa::Instruction& in : std::span(regions_[region].first, regions_[region].count))
          if (step(in, known.after)) return &in;
      }
      held = known.after;
    }
    return nullptr;
  }

 private:
  /// Whether it goes, or takes its addresses, by what is held.
  bool step(const isa::Instruction& in, Held& held) const {
    const isa::OperandUses uses = isa::operand_uses(in, lanes_);
    bool from = held.has(in.row->reads);
    for (const isa::OperandUse& use : uses)
      if (use.reads) from |= held.has(use.operand, use.registers);
    bool result = from;
    if (in.row->kind == isa::Kind::Control && from) return true;
    if (in.row->kind == isa::Kind::Memory) {
      if (addresses(in, held)) return true;
      result = access(in, from, held);
    }
    for (const isa::OperandUse& use : uses)
      if (use.writes) held.set(use.operand, use.registers, result);
    held.set(in.row->writes, result);
    return false;
  }

  bool addresses(const isa::Instruction& in, const Held& held) const {
    const bool buffer = in.row->memory.address == isa::MemoryAccess::Address::Descriptor;
    return held.has(in.src[0], in.offen && in.idxen ? 2 : 1) || held.has(in.soffset, 1) ||
           held.has(in.base, buffer ? 4 : 2);
  }

  /// Whether what it loads is held.
  bool access(const isa::Instruction& in, bool from, Held& held) const {
    using Space = isa::MemoryAccess::Space;
    const isa::MemoryAccess& memory = in.row->memory;
    const bool loaded = loads_.contains(&in);
    switch (memory.space) {
      case Space::Lds:
        if (memory.stores()) held.lds |= from;
        return held.lds;
      case Space::Scratch:
        if (memory.stores()) held.scratch |= from;
        return held.scratch;
      default:
        if (memory.with_lds()) held.lds |= loaded;
        return loaded;
    }
  }

  struct Known {
    bool walked = false;
    Held before, after;
  };
  const std::vector<engine::RegionOfCode>& regions_;
  const unsigned lanes_;
  const Loads& loads_;
  std::vector<Known> known_ = std::vector<Known>(regions_.size());
};

}  // namespace

const isa::Instruction* decided_by(const LaunchTrace& trace, const engine::Result& result,
                                   unsigned lanes, unsigned load_line_bytes,
                                   const std::function<bool(std::uintptr_t)>& is_there) {
  using Space = engine::Access::Space;
  const auto each_wave = [&](const auto& tell) {
    for (const auto* groups : {&trace.neighbours(), &trace.others()})
      for (const GroupTrace& group : *groups)
        for (const WaveTrace& wave : group.waves) tell(group, wave);
  };
  Loads loads;
  each_wave([&](const GroupTrace& group, const WaveTrace& wave) {
    for (const Request& one : wave.requests) {
      if (one.stores || (one.space != Space::Global && one.space != Space::Scalar)) continue;
      const auto lines = std::span(group.lines).subspan(one.first, one.count);
      if (!loads.contains(one.instruction) && std::ranges::any_of(lines, [&](std::uint64_t line) {
            return is_there(line * load_line_bytes);
          }))
        loads.insert(one.instruction);
    }
  });
  if (loads.empty()) return nullptr;
  Follower follower(result.regions, lanes, loads);
  const isa::Instruction* found = nullptr;
  each_wave([&](const GroupTrace&, const WaveTrace& wave) {
    if (!found) found = follower.follow(wave);
  });
  return found;
}

}  // namespace hipsight::profile
