#include "explain/on_code.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "isa/operand_use.h"

namespace hipsight::explain {
namespace {

using isa::Instruction;
using isa::Opcode;
using Instructions = timing::Rewrite::Instructions;

bool is_plain(const Instruction& in) {
  return in.variant == isa::Variant::Plain && !in.clamp && in.omod == 0;
}

/// Of 32-bit floats, with a packed form (AMD CDNA 3 ISA, "packed FP32"): the form that it would be
/// part of; NONE: it has none.
Opcode packed_form(const Instruction& in) {
  constexpr std::array forms{std::pair{Opcode::V_ADD_F32, Opcode::V_PK_ADD_F32},
                             std::pair{Opcode::V_MUL_F32, Opcode::V_PK_MUL_F32},
                             std::pair{Opcode::V_FMA_F32, Opcode::V_PK_FMA_F32},
                             std::pair{Opcode::V_FMAC_F32, Opcode::V_PK_FMA_F32}};
  const auto at = std::ranges::find(forms, in.row->opcode, &decltype(forms)::value_type::first);
  return at == forms.end() || !is_plain(in) ? Opcode::NONE : at->second;
}

/// Half of a dual instruction (AMD RDNA3 ISA, "VOPD").
bool has_dual_form(const Instruction& in) {
  constexpr std::array forms{Opcode::V_FMAC_F32,   Opcode::V_FMAAK_F32,  Opcode::V_FMAMK_F32,
                             Opcode::V_MUL_F32,    Opcode::V_ADD_F32,    Opcode::V_SUB_F32,
                             Opcode::V_SUBREV_F32, Opcode::V_MAX_F32,    Opcode::V_MIN_F32,
                             Opcode::V_MOV_B32,    Opcode::V_CNDMASK_B32};
  return std::ranges::find(forms, in.row->opcode) != forms.end() && is_plain(in) && !in.row_y;
}

/// Two halves of a dual instruction read different banks: never the same register in one place.
bool same_source(const Instruction& a, const Instruction& b) {
  for (unsigned i = 0; i < 2; ++i)
    if (a.src[i].where == isa::Where::Vgpr && b.src[i].where == isa::Where::Vgpr &&
        a.src[i].index == b.src[i].index)
      return true;
  return false;
}

bool could_be_one(const Instruction& a, const Instruction& b, unsigned wave_lanes) {
  if (isa::is_rdna(a.gfx))
    return wave_lanes == 32 && has_dual_form(a) && has_dual_form(b) && !same_source(a, b);
  return packed_form(a) != Opcode::NONE && packed_form(a) == packed_form(b);
}

/// Whether `later` can be moved before `earlier`.
bool independent(const isa::OperandUses& earlier, const isa::OperandUses& later) {
  for (const isa::OperandUse& a : earlier)
    for (const isa::OperandUse& b : later)
      if ((a.writes || b.writes) && a.overlaps(b)) return false;
  return true;
}

/// So many instructions later at most: a compiler looks no further, either.
constexpr std::size_t near = 16;

void pair_up(std::span<const Instruction> code, unsigned wave_lanes, Instructions& second) {
  std::vector<isa::OperandUses> uses;
  for (const Instruction& in : code) uses.push_back(isa::operand_uses(in, wave_lanes));
  std::vector<bool> taken(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (taken[i]) continue;
    for (std::size_t j = i + 1; j < std::min(code.size(), i + 1 + near); ++j) {
      if (taken[j] || !could_be_one(code[i], code[j], wave_lanes)) continue;
      bool moves = true;
      for (std::size_t k = i; k < j && moves; ++k) moves = independent(uses[k], uses[j]);
      if (!moves) continue;
      taken[i] = taken[j] = true;
      second.insert(&code[j]);
      break;
    }
  }
}

/// What of a wave's loads each register follows from. Of so many loads.
class Followed {
 public:
  static constexpr std::size_t most = 64;
  explicit Followed(unsigned wave_lanes) : wave_lanes_(wave_lanes) {}

  void run(const Instruction& in) {
    const auto [known, is_new] = uses_.try_emplace(&in);
    if (is_new) known->second = isa::operand_uses(in, wave_lanes_);
    std::uint64_t from = 0;
    for (const isa::OperandUse& use : known->second)
      if (use.reads) for_each(use, [&](std::uint64_t& loads) { from |= loads; });
    if (brings_from_memory(in)) {
      Load& load = loads_.try_emplace(&in, Load{.number = loads_.size()}).first->second;
      ++load.times;
      if (load.number >= most) return;
      const std::uint64_t itself = std::uint64_t{1} << load.number;
      load.chased |= (from & itself) != 0;
      from |= itself;
    }
    for (const isa::OperandUse& use : known->second)
      if (use.writes) for_each(use, [&](std::uint64_t& loads) { loads = from; });
  }
  void add_to(Instructions& all) const {
    for (const auto& [in, load] : loads_)
      if (load.times > 1 && !load.chased && load.number < most && !is_scalar(*in)) all.insert(in);
  }

 private:
  struct Load {
    std::size_t number, times = 0;
    bool chased = false;
  };
  static bool is_scalar(const Instruction& in) { return in.row->pipe == isa::Pipe::ScalarMemory; }
  static bool brings_from_memory(const Instruction& in) {
    const isa::MemoryAccess& access = in.row->memory;
    return access.does == isa::MemoryAccess::Does::Load && !access.with_lds() && !access.in_lds() &&
           !isa::is_coherent(in);
  }
  template <class Change>
  void for_each(const isa::OperandUse& use, Change&& change) {
    for (unsigned i = 0; i < use.registers; ++i)
      change(registers_[{static_cast<unsigned>(use.operand.where), use.operand.index + i}]);
  }

  const unsigned wave_lanes_;
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> registers_;
  std::map<const Instruction*, isa::OperandUses> uses_;
  std::map<const Instruction*, Load> loads_;
};

}  // namespace

Instructions packable(const engine::Result& result, unsigned wave_lanes) {
  Instructions second;
  for (const engine::RegionOfCode& region : result.regions)
    if (region.count) pair_up({region.first, region.count}, wave_lanes, second);
  return second;
}

Instructions may_go_earlier(const profile::LaunchTrace& trace, const engine::Result& result,
                            unsigned wave_lanes) {
  constexpr std::size_t enough = 50'000;  // instructions: loops have come round by then
  Instructions all;
  if (trace.neighbours().empty() || trace.neighbours().front().waves.empty()) return all;
  Followed followed(wave_lanes);
  std::size_t ran = 0;
  for (const std::uint32_t number : trace.neighbours().front().waves.front().path) {
    const engine::RegionOfCode& region = result.regions[number];
    for (std::uint32_t i = 0; i < region.count; ++i) followed.run(region.first[i]);
    ran += region.count;
    if (ran > enough) break;
  }
  followed.add_to(all);
  return all;
}

}  // namespace hipsight::explain
