// Scalar loads: constants and kernel arguments.

#include "engine/level/memory.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {
namespace {

std::uint32_t scalar_offset_of(const Wave& w, const isa::Instruction& in) {
  return in.soffset.where == isa::Where::Sgpr ? w.scalar[in.soffset.index] : 0;
}

void load(Wave& w, const Op* op, std::uint64_t address, unsigned bytes) {
  KnownRange& known = w.known[known_index(op->instruction->address)];
  const bool inside =
      known.epoch == epoch(w) && address >= known.begin && address + bytes <= known.end;
  if (!inside && !find_range(w, address, bytes, known))
    report_access(w, op, address, bytes, 0, "scalar load");
  std::memcpy(w.bytes() + op->dst, reinterpret_cast<const void*>(address), bytes);
}

/// The address is that of a dword: its low bits are dropped; sub-dword loads (gfx12) keep them.
template <unsigned Dwords>
const Op* load_scalar_dwords(Wave& w, const Op* op) {
  const isa::Instruction& in = *op->instruction;
  const std::uint64_t base = w.pair(in.base.index);
  const std::uint64_t address =
      base + static_cast<std::uint64_t>(op->imm) + scalar_offset_of(w, in);
  load(w, op, address & ~std::uint64_t{3}, Dwords * 4);
  return op + 1;
}
template <class T>
const Op* load_scalar_part(Wave& w, const Op* op) {
  const isa::Instruction& in = *op->instruction;
  const std::uint64_t address =
      w.pair(in.base.index) + static_cast<std::uint64_t>(op->imm) + scalar_offset_of(w, in);
  load(w, op, address, sizeof(T));
  T value;
  std::memcpy(&value, w.bytes() + op->dst, sizeof value);
  const auto extended = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  std::memcpy(w.bytes() + op->dst, &extended, 4);
  return op + 1;
}

/// Through a buffer resource: what lies beyond its records is 0.
template <unsigned Dwords>
const Op* load_buffer_dwords(Wave& w, const Op* op) {
  const isa::Instruction& in = *op->instruction;
  const std::uint32_t* resource = &w.scalar[in.base.index];
  const std::uint64_t base = resource[0] | std::uint64_t{resource[1] & 0xffff} << 32;
  const std::uint32_t stride = resource[1] >> 16 & 0x3fff;
  const std::uint64_t size = std::uint64_t{resource[2]} * (stride ? stride : 1);
  const std::uint64_t offset =
      (static_cast<std::uint64_t>(op->imm) + scalar_offset_of(w, in)) & ~3ull;
  for (unsigned i = 0; i < Dwords; ++i) {
    std::uint32_t value = 0;
    const std::uint64_t at = offset + i * 4;
    if (at + 4 <= size) {
      KnownRange range;
      if (!find_range(w, base + at, 4, range)) report_access(w, op, base + at, 4, 0, "scalar load");
      std::memcpy(&value, reinterpret_cast<const void*>(base + at), 4);
    }
    std::memcpy(w.bytes() + op->dst + i * 4, &value, 4);
  }
  return op + 1;
}

}  // namespace

void add_scalar_memory(Table& table) {
  const auto add = [&](std::string_view name, Run run) { table.add(name, {run, run}); };
  add("S_LOAD_DWORD", load_scalar_dwords<1>);
  add("S_LOAD_DWORDX2", load_scalar_dwords<2>);
  add("S_LOAD_DWORDX3", load_scalar_dwords<3>);
  add("S_LOAD_DWORDX4", load_scalar_dwords<4>);
  add("S_LOAD_DWORDX8", load_scalar_dwords<8>);
  add("S_LOAD_DWORDX16", load_scalar_dwords<16>);
  add("S_LOAD_U8", load_scalar_part<std::uint8_t>);
  add("S_LOAD_I8", load_scalar_part<std::int8_t>);
  add("S_LOAD_U16", load_scalar_part<std::uint16_t>);
  add("S_LOAD_I16", load_scalar_part<std::int16_t>);
  add("S_BUFFER_LOAD_DWORD", load_buffer_dwords<1>);
  add("S_BUFFER_LOAD_DWORDX2", load_buffer_dwords<2>);
  add("S_BUFFER_LOAD_DWORDX3", load_buffer_dwords<3>);
  add("S_BUFFER_LOAD_DWORDX4", load_buffer_dwords<4>);
  add("S_BUFFER_LOAD_DWORDX8", load_buffer_dwords<8>);
  add("S_BUFFER_LOAD_DWORDX16", load_buffer_dwords<16>);
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
