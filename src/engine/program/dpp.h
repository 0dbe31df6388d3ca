#pragma once
// Which lanes a DPP instruction's first source comes from (RDNA3 ISA, "DPP16", "DPP8"; CDNA3 ISA,
// "DPP"), for one lane or for vectors of them.

#include <cstdint>

#include "isa/instruction.h"

namespace hipsight::engine {

inline bool is_dpp(const isa::Instruction& in) {
  return in.variant == isa::Variant::Dpp16 || in.variant == isa::Variant::Dpp8;
}

/// The lane that lane `lane` of `lanes` reads, or -1 when that lies outside its row or the wave.
template <class Lane>
inline Lane dpp16_lane(unsigned control, Lane lane, int lanes) {
  const Lane row = lane & ~15, in_row = lane & 15, none = Lane(-1);
  const int amount = static_cast<int>(control & 15);
  if (control <= 0xff)
    return (lane & ~3) | (Lane(static_cast<int>(control)) >> (2 * (lane & 3)) & 3);
  switch (control & 0x1f0) {
    case 0x100:  // row_shl
      return in_row + amount < 16 ? lane + amount : none;
    case 0x110:  // row_shr
      return in_row - amount >= 0 ? lane - amount : none;
    case 0x120:  // row_ror
      return row | ((in_row - amount) & 15);
    case 0x130:  // wave_shl, wave_rol, wave_shr, wave_ror by one (GFX9)
      if (amount == 0) return lane + 1 < lanes ? lane + 1 : none;
      if (amount == 4) return (lane + 1) & (lanes - 1);
      if (amount == 8) return lane - 1;
      return (lane - 1) & (lanes - 1);
    case 0x140:
      if (amount == 0) return row | (15 - in_row);             // row_mirror
      if (amount == 1) return (lane & ~7) | (7 - (lane & 7));  // row_half_mirror
      if (amount == 2) return lane >= 16 ? row - 1 : none;     // row_bcast:15
      return lane >= 32 ? Lane(31) : none;                     // row_bcast:31
    case 0x150:                                                // row_share (row_newbcast on gfx90a)
      return row | amount;
    default:  // row_xmask
      return row | (in_row ^ amount);
  }
}

template <class Lane>
inline Lane dpp_lane(const isa::Instruction& in, Lane lane, int lanes) {
  if (in.variant == isa::Variant::Dpp16) return dpp16_lane(in.dpp_ctrl, lane, lanes);
  return (lane & ~7) | (Lane(static_cast<int>(in.dpp8)) >> (3 * (lane & 7)) & 7);
}

/// Whether all lanes read others of their own row of so many (8 or 16).
inline bool dpp_stays_in_rows(const isa::Instruction& in, int row = 16) {
  const unsigned control = in.variant == isa::Variant::Dpp16 ? in.dpp_ctrl : 0;
  if ((control & 0x1f0) == 0x130 || control == 0x142 || control == 0x143) return false;
  for (int lane = 0; row < 16 && lane < 16; ++lane)
    if (const int from = dpp_lane(in, lane, 64); from >= 0 && from / row != lane / row)
      return false;
  return true;
}

/// Whether the masks of rows and banks let a lane be written.
inline bool dpp_may_write(const isa::Instruction& in, unsigned lane) {
  return (in.row_mask >> (lane / 16 & 3) & 1) && (in.bank_mask >> (lane / 4 & 3) & 1);
}

/// Whether lanes that read nothing, and so 0, are written. DPP8 always writes.
inline bool dpp_writes_zeros(const isa::Instruction& in) {
  return in.bound_ctrl || in.variant == isa::Variant::Dpp8;
}

}  // namespace hipsight::engine
