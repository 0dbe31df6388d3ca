#include "analysis/live_registers.h"

#include <array>
#include <optional>

#include "isa/crash_guard.h"

namespace hipsight::analysis {
namespace {

using isa::VectorRegisters;

bool calls(const isa::Instruction& in) {
  return in.row->control == isa::Control::Call;
}
bool is_vector(const isa::Instruction& in) {
  return in.format >= isa::Format::Vop1 && in.format <= isa::Format::Vopd;
}

std::vector<isa::RegisterUse> uses_of(const Listing& listing, unsigned vgprs) {
  const isa::RegisterUses uses(listing.processor, listing.sram_ecc);
  const isa::CrashGuard guard;
  VectorRegisters there;
  for (unsigned i = 0; i < VectorRegisters::per_file; ++i) {
    if (i < vgprs) there.add(VectorRegisters::File::Vgpr, i);
    there.add(VectorRegisters::File::Agpr, i);
  }
  std::vector<isa::RegisterUse> all;
  all.reserve(listing.lines.size());
  bool by_index = false;  // GFX9, from s_set_gpr_idx_on to s_set_gpr_idx_off: in a straight line
  for (const Listing::Line& line : listing.lines) {
    const isa::Instruction& in = line.instruction;
    isa::RegisterUse use = uses.of(in);
    if (in.is(isa::Opcode::S_SET_GPR_IDX_ON)) by_index = true;
    if (in.is(isa::Opcode::S_SET_GPR_IDX_OFF)) by_index = false;
    if (by_index && is_vector(in)) use = isa::indexed(use, true, true);
    if (calls(in)) use.may_write = there;
    use.reads &= there;
    use.may_write &= there;
    all.push_back(use);
  }
  return all;
}

/// Where lanes that an instruction turns off are next asked for: for an "if" or an "else" without a
/// branch round it, where it ends. Compilers leave the branch out where few instructions would be
/// skipped; their own view of registers had it.
class Skips {
 public:
  Skips(const Listing& listing, const std::vector<isa::RegisterUse>& uses)
      : to_(listing.lines.size(), Listing::nowhere) {
    for (std::size_t i = 0; i < listing.lines.size(); ++i) {
      const Listing::Line& line = listing.lines[i];
      if (uses[i].writes_exec) {
        // An "else" is where the lanes go on that the "if" has turned off, and no others.
        if (closes(line.instruction)) close(line.instruction, uses[i].narrows_exec ? line.next : i);
        if (uses[i].narrows_exec) open_.push_back({i, saved_in(line.instruction)});
      }
      if (line.target != Listing::nowhere || line.next == Listing::nowhere) open_.clear();
    }
  }
  std::size_t from(std::size_t line) const { return to_[line]; }

 private:
  /// Lanes that were turned off, and the scalar register that knows them.
  struct Open {
    std::size_t line;
    std::optional<unsigned> saved;
  };

  static bool closes(const isa::Instruction& in) {
    switch (in.row->logic) {
      case isa::Logic::Or:
      case isa::Logic::OrNot1:
      case isa::Logic::OrNot2:
      case isa::Logic::Move:
      case isa::Logic::Xor:
        return true;
      default:
        return in.is(isa::Opcode::S_MOVK_I32) ||
               (in.row->logic == isa::Logic::AndNot2 && in.row->saves_exec);
    }
  }
  /// The scalar register, not EXEC, that a mask of lanes comes from.
  static std::optional<unsigned> source(const isa::Instruction& in) {
    constexpr unsigned exec = 126;  // as instructions encode it; 127 is its upper half
    for (const isa::Operand& operand : {in.src[0], in.src[1]})
      if (operand.where == isa::Where::Sgpr && operand.index < exec) return operand.index;
    return std::nullopt;
  }
  static std::optional<unsigned> saved_in(const isa::Instruction& in) {
    if (is_vector(in)) return std::nullopt;  // v_cmpx compares, and saves nothing
    if (in.row->saves_exec) return in.dst.index;
    return source(in);
  }

  void close(const isa::Instruction& in, std::size_t line) {
    if (open_.empty()) return;
    // Ends of an inner "if" and of the outer one may be the same instruction.
    const auto saved = source(in);
    std::size_t first = open_.size() - 1;
    for (std::size_t i = 0; i < open_.size() && saved; ++i) {
      if (open_[i].saved == saved) {
        first = i;
        break;
      }
    }
    for (std::size_t i = first; i < open_.size(); ++i) to_[open_[i].line] = line;
    open_.resize(first);
  }

  std::vector<std::size_t> to_;
  std::vector<Open> open_;
};

/// Where control, or the lanes of an instruction, go from it.
class Ways {
 public:
  Ways(const Listing& listing, const std::vector<isa::RegisterUse>& uses)
      : listing_(listing), skips_(listing, uses) {}
  std::array<std::size_t, 3> from(std::size_t line) const {
    return {listing_.lines[line].next, listing_.lines[line].target, skips_.from(line)};
  }
  std::size_t count() const { return listing_.lines.size(); }

 private:
  const Listing& listing_;
  const Skips skips_;
};

/// What some path from each line on reads before it writes it.
std::vector<VectorRegisters> read_later(const Ways& ways,
                                        const std::vector<isa::RegisterUse>& uses) {
  std::vector<VectorRegisters> before(ways.count());
  // Until nothing more is found: once for the code, and again for each loop in a loop.
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = before.size(); i-- > 0;) {
      VectorRegisters set;
      for (const std::size_t way : ways.from(i))
        if (way != Listing::nowhere) set |= before[way];
      set -= uses[i].writes;
      set |= uses[i].reads;
      if (set == before[i]) continue;
      before[i] = set;
      found = true;
    }
  }
  return before;
}

/// What some path from the entry to each line has written, or was given.
std::vector<VectorRegisters> written_before(const Listing& listing, const Ways& ways,
                                            const std::vector<isa::RegisterUse>& uses,
                                            const VectorRegisters& given) {
  std::vector<VectorRegisters> before(ways.count());
  if (!before.empty()) before[listing.entry] = given;
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < before.size(); ++i) {
      VectorRegisters set = before[i];
      set |= uses[i].may_write;
      for (const std::size_t way : ways.from(i)) {
        if (way == Listing::nowhere) continue;
        VectorRegisters there = before[way];
        there |= set;
        if (there == before[way]) continue;
        before[way] = there;
        found = true;
      }
    }
  }
  return before;
}

}  // namespace

VectorRegisters work_item_ids() {
  // All three in one register on every GPU that we have (AMDGPUUsage, "Initial Kernel Execution
  // State").
  VectorRegisters ids;
  ids.add(VectorRegisters::File::Vgpr, 0);
  return ids;
}

LiveRegisters live_registers(const Listing& listing, unsigned vgprs, const VectorRegisters& given) {
  const std::vector<isa::RegisterUse> uses = uses_of(listing, vgprs);
  const Ways ways(listing, uses);
  const std::vector<VectorRegisters> written = written_before(listing, ways, uses, given);
  LiveRegisters live;
  live.before = read_later(ways, uses);
  for (std::size_t i = 0; i < live.before.size(); ++i) live.before[i] &= written[i];

  for (std::size_t i = 0; i < live.before.size(); ++i) {
    VectorRegisters after = uses[i].writes;
    for (const std::size_t way : ways.from(i))
      if (way != Listing::nowhere) after |= live.before[way];
    const LiveRegisters::Count first{live.before[i].vgprs(), live.before[i].agprs()};
    const LiveRegisters::Count second{after.vgprs(), after.agprs()};
    live.at.push_back(first.both() >= second.both() ? first : second);
    if (live.at[i].both() > live.most().both()) live.fullest = i;
  }
  return live;
}

}  // namespace hipsight::analysis
