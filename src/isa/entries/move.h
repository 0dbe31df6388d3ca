#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {
namespace integer {

/// A byte of v_perm_b32: 0-7 select from {a, b}, 8-11 the sign of a byte of odd number, 12 is 0 and
/// above is 0xff.
inline constexpr auto permuted_byte = [](auto a, auto b, auto selector) {
  const auto odd = ((selector & 1) << 4) + 15;
  const auto sign = 0 - ((select((selector & 2) != 0, a, b) >> odd) & 1);
  const auto byte = select((selector & 4) != 0, a, b) >> ((selector & 3) << 3);
  const auto special = select(selector > 12, 255, select(selector == 12, 0, sign));
  return select(selector < 8, byte, special) & 255;
};

}  // namespace integer

inline constexpr Entries move_entries{
    def<u32(u32)>("V_MOV_B32", [](auto a) { return a; }),
    def<u64(u64)>("V_MOV_B64", [](auto a) { return a; }),
    def<u16(u16)>("V_MOV_B16", [](auto a) { return a; }),
    def<u32(u32)>("V_ACCVGPR_READ_B32", [](auto a) { return a; }),
    def<u32(u32)>("V_ACCVGPR_WRITE_B32", [](auto a) { return a; }),
    def<u32(u32)>("V_ACCVGPR_MOV_B32", [](auto a) { return a; }),
    def<u32(u32, u32, b1)>("V_CNDMASK_B32",
                           [](auto a, auto b, auto mask) { return select(mask, b, a); }),
    def<u16(u16, u16, b1)>("V_CNDMASK_B16",
                           [](auto a, auto b, auto mask) { return select(mask, b, a); }),
    def<u32(u32, u32, u32)>("V_PERM_B32",
                            [](auto a, auto b, auto c) {
                              const auto byte = [&](int at) {
                                return integer::permuted_byte(a, b, (c >> at) & 255) << at;
                              };
                              return byte(0) | byte(8) | byte(16) | byte(24);
                            }),
    // Bit i of the third operand (op_sel) chooses the high register of source i.
    def<u64(u64, u64, u64)>("V_PK_MOV_B32",
                            [](auto a, auto b, auto high) {
                              const auto low_result = (a >> ((high & 1) << 5)) & 0xffffffffu;
                              return low_result | (b >> ((high & 2) << 4)) << 32;
                            }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
