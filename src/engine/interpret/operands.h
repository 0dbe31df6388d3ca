#pragma once
// What encodings do to operands, once for every instruction: uniform sources, modifiers, SDWA and
// DPP selects before the meaning; omod, clamp, partial registers and EXEC after it.

#include "engine/interpret/registers.h"
#include "engine/program/dpp.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

inline std::byte* source(Wave& w, const Op* op, int i) {
  const std::uintptr_t base = op->base[i] == Base::Wave ? reinterpret_cast<std::uintptr_t>(&w) : 0;
  return reinterpret_cast<std::byte*>(base + op->src[i]);
}

/// Writes modified copies of the sources that need one to the wave's temporaries.
void prepare_sources(Wave& w, const Op* op);

/// Spreads the scalar registers among the sources over all lanes, the high halves of pairs over one
/// slice.
void broadcast_sources(Wave& w, const Op* op);

inline void fetch_sources(Wave& w, const Op* op) {
  if (op->broadcast) broadcast_sources(w, op);
  if (op->prepare) [[unlikely]]
    prepare_sources(w, op);
}

/// Moves a result from the last temporary to its register: modifiers, then active lanes only.
void finish_result(Wave& w, const Op* op);

/// The last temporary: where results wait for finish_result.
inline std::byte* pending_result(Wave& w) {
  return w.temporary[Wave::temporaries - 1];
}

/// Whether results may go to their register directly.
inline bool is_direct(const Wave& w, const Op* op) {
  return !op->finish && w.exec() == w.full;
}

/// The lanes that an instruction writes, its operands prepared: DPP leaves out those in other rows
/// and banks, and those for which it reads nothing.
inline std::uint64_t written_lanes(const Wave& w, const isa::Instruction& in) {
  if (!is_dpp(in)) return w.exec();
  std::uint64_t banks = 0;
  for (unsigned bank = 0; bank < w.lanes; bank += 4)
    if (dpp_may_write(in, bank)) banks |= 15ull << bank;
  return w.exec() & w.dpp_reads & banks;
}

/// A mask result, with zeros for lanes that are not written: to EXEC for v_cmpx, and where the
/// encoding says.
inline void write_mask_result(Wave& w, const Op* op, std::uint64_t bits) {
  bits &= written_lanes(w, *op->instruction);
  if (op->flags & flag::write_bits) std::memcpy(w.bytes() + op->bit_dst, &bits, w.lanes / 8);
  if (op->flags & flag::write_exec) std::memcpy(&w.scalar[reg::exec], &bits, w.lanes / 8);
}

/// Carries, beside a result: DPP's rows and banks are not theirs, and lanes for which it reads
/// nothing keep what they had (docs/isa.md).
void write_carries(Wave& w, const Op* op, std::uint64_t bits);

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
