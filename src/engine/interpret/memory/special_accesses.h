#pragma once
// Accesses that do more than move a lane's data between its registers and memory.

#include "engine/interpret/memory/accesses.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

/// Loads whose data goes to LDS: lane i's to M0 + offset + 4 i, or + 16 i when it is three or four
/// dwords; less than a dword is extended to one (CDNA4 ISA, 9.1.9 and 10.3).
template <class T, unsigned Count = 1>
struct LoadToLds {
  static constexpr unsigned bytes = sizeof(T) * Count;
  static constexpr bool stores = false;
  static void run(Wave& w, const Op* op, const Addresses& a) {
    constexpr unsigned stride = Count > 1 ? 16 : 4;
    const std::uint32_t first =
        (w.scalar[reg::m0_cdna] & 0x3fffc) + static_cast<std::uint32_t>(op->imm);
    if (w.observers) [[unlikely]]
      observe_lds_half(w, op, Count * 4, a.mask, first, stride);
    for_lanes(a.mask, [&](unsigned lane) {
      T values[Count];
      copy_whole(values, reinterpret_cast<const void*>(a.at[lane]), sizeof values);
      std::uint32_t dwords[Count];
      for (unsigned i = 0; i < Count; ++i)
        dwords[i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(values[i]));
      const std::uint64_t at = std::uint64_t{first} + lane * stride;
      if (at + sizeof dwords > w.lds_bytes &&
          !report_access(w, op, at, sizeof dwords, lane, "LDS access"))
        return;
      std::memcpy(w.lds + at, dwords, sizeof dwords);
    });
  }
};

/// Stores what lies in LDS: lane i's dword is at M0 + offset + 4 i.
struct StoreFromLds {
  static constexpr unsigned bytes = 4;
  static constexpr bool stores = true;
  static void run(Wave& w, const Op* op, const Addresses& a) {
    const std::uint32_t first =
        (w.scalar[reg::m0_cdna] & 0x3fffc) + static_cast<std::uint32_t>(op->imm);
    if (w.observers) [[unlikely]]
      observe_lds_half(w, op, bytes, a.mask, first, 4);
    for_lanes(a.mask, [&](unsigned lane) {
      const std::uint64_t at = std::uint64_t{first} + lane * 4;
      if (at + 4 > w.lds_bytes && !report_access(w, op, at, 4, lane, "LDS access")) return;
      std::memcpy(reinterpret_cast<void*>(a.at[lane]), w.lds + at, 4);
    });
  }
};

namespace atomic {
/// Adds in the order of the identifiers in the low words: only whoever's turn it is.
struct OrderedAdd {
  std::uint64_t operator()(std::uint64_t memory, std::uint64_t data) const {
    const auto turn = static_cast<std::uint32_t>(memory);
    if (turn != static_cast<std::uint32_t>(data)) return memory;
    const std::uint64_t sum = (memory >> 32) + (data >> 32);
    return sum << 32 | static_cast<std::uint32_t>(turn + 1);
  }
};
}  // namespace atomic

/// GFX12's transposing loads, of matrices of 16 x 16. Lanes in groups of eight (of sixteen for
/// bytes) read rows of eight elements, a group eight rows of as many columns as it has lanes; each
/// lane gets a column. Wave64: lanes 32 and up hold what lanes 0 to 31 of wave32 have in the upper
/// half of their registers, here and there.
template <unsigned Bits>
struct LoadTransposed {
  static constexpr unsigned elements = 8, group = Bits == 16 ? 8 : 16;
  static constexpr unsigned bytes = elements * Bits / 8;
  static constexpr bool stores = false;
  static void run(Wave& w, const Op* op, const Addresses& a) {
    constexpr unsigned registers = bytes / 4, lanes_per_row = group / elements;
    const unsigned parts = w.lanes / 32, in_part = registers / parts;
    using Element = std::conditional_t<Bits == 16, std::uint16_t, std::uint8_t>;
    std::uint32_t rows[32][registers], columns[32][registers];
    for (unsigned lane = 0; lane < w.lanes; ++lane)
      copy_whole(&rows[lane % 32][lane / 32 * in_part], reinterpret_cast<const void*>(a.at[lane]),
                 in_part * 4);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned first = lane / group * group, column = lane % group;
      Element result[elements];
      for (unsigned row = 0; row < elements; ++row) {
        const unsigned from = first + row * lanes_per_row + column / elements;
        Element data[elements];
        std::memcpy(data, rows[from], sizeof data);
        result[row] = data[column % elements];
      }
      std::memcpy(columns[lane], result, sizeof result);
    }
    for_lanes(a.mask, [&](unsigned lane) {
      for (unsigned r = 0; r < in_part; ++r)
        register_at(w, op->dst + r * w.register_bytes)[lane] =
            columns[lane % 32][lane / 32 * in_part + r];
    });
  }
};

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
