// Registers whose numbers are computed: v_movrel, s_movrel, and all vector instructions where
// s_set_gpr_idx is on.

#include "engine/interpret/interpret.h"
#include "isa/entry.h"
#include "isa/instruction.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {
namespace {

/// The number of the vector register at a byte offset from the wave.
std::uint32_t register_number(const Wave& w, std::uint64_t offset) {
  return static_cast<std::uint32_t>((offset - Wave::vector_file_offset()) / w.register_bytes);
}
/// The source's slices, of the register `relative` further; the first register if there is none
/// (ISA manuals, "VGPR Indexing" and "Out-of-Range Behavior").
const std::byte* relative_source(Wave& w, const Op* op, std::uint32_t relative) {
  if (!op->step[0]) return source(w, op, 0);
  const std::uint64_t number = std::uint64_t{register_number(w, op->src[0])} + relative;
  return reinterpret_cast<std::byte*>(w.vgpr(
      number < static_cast<std::uint64_t>(op->imm) ? static_cast<std::uint32_t>(number) : 0));
}

/// Op::imm is how many registers there are; what is written beyond is lost.
const Op* move(Wave& w, const Op* op, std::uint32_t source_by, std::uint32_t destination_by) {
  std::uint32_t value[64];
  if (op->step[0]) {
    std::memcpy(value, relative_source(w, op, source_by), w.lanes * 4);
  } else {
    std::uint32_t one;
    std::memcpy(&one, source(w, op, 0), sizeof one);
    for (std::uint32_t& lane : value) lane = one;
  }
  const std::uint64_t number = std::uint64_t{register_number(w, op->dst)} + destination_by;
  if (number >= static_cast<std::uint64_t>(op->imm)) return op + 1;
  std::uint32_t* to = w.vgpr(static_cast<std::uint32_t>(number));
  for (std::uint64_t left = w.exec() & w.full; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
    to[lane] = value[lane];
  }
  return op + 1;
}

// --- RDNA: M0 is the distance -------------------------------------------------------------------

template <bool Source, bool Destination>
const Op* move_relative(Wave& w, const Op* op) {
  const std::uint32_t by = w.scalar[reg::m0_rdna];
  return move(w, op, Source ? by : 0, Destination ? by : 0);
}
/// v_movrelsd_2_b32: a distance for each.
const Op* move_relative_2(Wave& w, const Op* op) {
  const std::uint32_t m0 = w.scalar[reg::m0_rdna];
  return move(w, op, m0 & 0xff, m0 >> 16 & 0x3ff);
}

/// v_swaprel_b32: registers at the distances of v_movrelsd_2_b32 change places.
const Op* swap_relative(Wave& w, const Op* op) {
  const std::uint32_t m0 = w.scalar[reg::m0_rdna];
  const auto count = static_cast<std::uint64_t>(op->imm);
  const std::uint64_t a = std::uint64_t{register_number(w, op->dst)} + (m0 >> 16 & 0x3ff);
  const std::uint64_t b = std::uint64_t{register_number(w, op->src[0])} + (m0 & 0x3ff);
  if (a >= count || b >= count) return op + 1;
  std::uint32_t* first = w.vgpr(static_cast<std::uint32_t>(a));
  std::uint32_t* second = w.vgpr(static_cast<std::uint32_t>(b));
  for (std::uint64_t left = w.exec() & w.full; left; left &= left - 1)
    std::swap(first[__builtin_ctzll(left)], second[__builtin_ctzll(left)]);
  return op + 1;
}

// --- scalar registers: M0 is the distance -------------------------------------------------------

/// The scalar register `by` further, of `count` in a row; nothing beyond those of programs.
std::uint32_t* scalar_register(Wave& w, std::uint64_t offset, std::uint32_t by, unsigned count) {
  const std::uint64_t number = (offset - offsetof(Wave, scalar)) / 4 + by;
  return number + count <= reg::vcc + 2 ? &w.scalar[number] : nullptr;
}
/// Reads beyond the last register give the first; writes there are lost.
template <unsigned Count>
const Op* move_scalar(Wave& w, const Op* op, std::uint32_t source_by,
                      std::uint32_t destination_by) {
  std::uint32_t value[Count];
  const void* from = source(w, op, 0);
  if (op->instruction->src[0].where == isa::Where::Sgpr) {
    from = scalar_register(w, op->src[0], source_by, Count);
    if (!from) from = w.scalar;
  }
  std::memcpy(value, from, sizeof value);
  if (std::uint32_t* to = scalar_register(w, op->dst, destination_by, Count))
    std::memcpy(to, value, sizeof value);
  return op + 1;
}
template <unsigned Count>
const Op* move_scalar_from(Wave& w, const Op* op) {
  return move_scalar<Count>(w, op, m0(w, op), 0);
}
template <unsigned Count>
const Op* move_scalar_to(Wave& w, const Op* op) {
  return move_scalar<Count>(w, op, 0, m0(w, op));
}
const Op* move_scalar_2(Wave& w, const Op* op) {
  return move_scalar<1>(w, op, m0(w, op) & 0x3ff, m0(w, op) >> 16 & 0x3ff);
}

// --- GFX9: M0[7:0] is the distance, M0[14:12] say for which sources, M0[15] whether for the
// destination -------------------------------------------------------------------------------------

bool is_vector(const isa::Operand& operand) {
  return operand.where == isa::Where::Vgpr || operand.where == isa::Where::Agpr;
}

/// Runs Op::target, whose places are those of the instruction as it is encoded, with those that M0
/// says: of every instruction of the vector unit, SDWA's and DPP's forms too (CDNA3 ISA, "VGPR
/// Indexing Details"). The old value of a destination is where the result goes. Accumulators move
/// like other registers: so v_accvgpr_read does on gfx950 (Tensile's CompactLoopStore, which was
/// tried there).
const Op* run_indexed(Wave& w, const Op* op) {
  // Code goes on to the next op by itself.
  Op code[2]{*op->target, {}};
  code[1].run = [](Wave&, const Op*) -> const Op* { return nullptr; };
  Op& indexed = code[0];
  const isa::Instruction& in = *indexed.instruction;
  const isa::Shape* const shape = indexed.shape;
  const auto count = static_cast<std::uint64_t>(op->imm);
  const std::uint32_t m0 = w.scalar[reg::m0_cdna], by = m0 & 0xff;
  /// Moves a place by M0's distance; to the first register, and false, if there is none.
  const auto move = [&](auto& place, unsigned registers) {
    const std::uint64_t number = std::uint64_t{register_number(w, place)} + by;
    const bool exists = number + registers <= count;
    place = static_cast<std::remove_reference_t<decltype(place)>>(
        Wave::vector_file_offset() + (exists ? number : 0) * w.register_bytes);
    return exists;
  };
  const unsigned operands = shape ? shape->operands : 3;
  for (unsigned i = 0; i < operands; ++i) {
    const bool old = shape && shape->old[i];
    const unsigned bit = old ? 15 : 12 + i;
    if (!is_vector(old ? in.dst : in.src[i]) || !(m0 >> bit & 1)) continue;
    const unsigned registers = shape ? shape->registers(shape->operand[i]) : 1;
    if (shape && indexed.vector_origin >> i & 1)
      move(indexed.origin[i], registers);
    else
      move(indexed.src[i], registers);
  }
  // What would write beyond the last register does nothing (Vega ISA, "Out-of-Range Behavior").
  if (is_vector(in.dst) && m0 >> 15 & 1 &&
      !move(indexed.dst, shape ? shape->registers(shape->result) : 1))
    return op + 1;
  indexed.run(w, &indexed);
  return op + 1;
}

void set_index(Wave& w, const Op* op) {
  std::uint32_t value;
  std::memcpy(&value, source(w, op, 0), sizeof value);
  std::uint32_t& m0 = w.scalar[reg::m0_cdna];
  m0 = (m0 & ~0xffu) | (value & 0xff);
}
void set_operands(Wave& w, std::uint32_t operands) {
  std::uint32_t& m0 = w.scalar[reg::m0_cdna];
  m0 = (m0 & ~0xf000u) | (operands & 15) << 12;
}
const Op* index_on(Wave& w, const Op* op) {
  set_index(w, op);
  set_operands(w, op->instruction->words[0] >> 8);
  return op + 1;
}
/// Which instructions lie between "on" and "off" is found when they are lowered.
const Op* index_off(Wave&, const Op* op) {
  return op + 1;
}
const Op* index_value(Wave& w, const Op* op) {
  set_index(w, op);
  return op + 1;
}
const Op* index_operands(Wave& w, const Op* op) {
  set_operands(w, static_cast<std::uint32_t>(op->instruction->imm.number()));
  return op + 1;
}

}  // namespace

void add_relative(Table& table) {
  const auto add = [&](std::string_view name, Run run) { table.add(name, {run, run}); };
  add("V_MOVRELS_B32", move_relative<true, false>);
  add("V_MOVRELD_B32", move_relative<false, true>);
  add("V_MOVRELSD_B32", move_relative<true, true>);
  add("V_MOVRELSD_2_B32", move_relative_2);
  add("V_SWAPREL_B32", swap_relative);
  add("S_MOVRELS_B32", move_scalar_from<1>);
  add("S_MOVRELS_B64", move_scalar_from<2>);
  add("S_MOVRELD_B32", move_scalar_to<1>);
  add("S_MOVRELD_B64", move_scalar_to<2>);
  add("S_MOVRELSD_2_B32", move_scalar_2);
  add("indexed", run_indexed);
  add("S_SET_GPR_IDX_ON", index_on);
  add("S_SET_GPR_IDX_OFF", index_off);
  add("S_SET_GPR_IDX_IDX", index_value);
  add("S_SET_GPR_IDX_MODE", index_operands);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
