#pragma once
// What encodings do to operands, once for every instruction: uniform sources, modifiers, SDWA and
// DPP selects before the meaning; omod, clamp, partial registers and EXEC after it.

#include "engine/level/registers.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

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

/// A mask result for the active lanes: to EXEC for v_cmpx, and where the encoding says.
inline void write_mask_result(Wave& w, const Op* op, std::uint64_t bits) {
  bits &= w.exec() & w.write_mask;
  if (op->flags & flag::write_bits) {
    std::memcpy(w.bytes() + op->bit_dst, &bits, w.lanes / 8);
  }
  if (op->flags & flag::write_exec) std::memcpy(&w.scalar[reg::exec], &bits, w.lanes / 8);
  w.write_mask = ~0ull;
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
