#pragma once

#include "isa/entries/random.h"
#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {
namespace integer {

/// `width` bits of `a` from bit `offset` up, zero- or sign-extended by the type of `a`.
inline constexpr auto unsigned_field = [](auto a, auto offset, auto width) {
  return (a >> (offset & 31)) & ((1 << (width & 31)) - 1);
};
inline constexpr auto signed_field = [](auto a, auto offset, auto width) {
  const auto rest = (32 - (width & 31)) & 31;
  return select((width & 31) == 0, 0, ((a >> (offset & 31)) << rest) >> rest);
};

/// A function of three bits by its table: bit 4a + 2b + c is the result for a, b and c.
inline constexpr auto by_table = [](auto a, auto b, auto c, auto table) {
  const auto term = [&](int row, auto is_row) { return (0 - ((table >> row) & 1)) & is_row; };
  const auto rows = [&](int first, auto ab) {
    return term(first, ab & ~c) | term(first + 1, ab & c);
  };
  return rows(0, ~a & ~b) | rows(2, ~a & b) | rows(4, a & ~b) | rows(6, a & b);
};

}  // namespace integer

inline constexpr Entries bitwise_entries{
    def<u32(u32)>("V_NOT_B32", [](auto a) { return ~a; }),
    def<u32(u32, u32)>("V_AND_B32", [](auto a, auto b) { return a & b; }),
    def<u32(u32, u32)>("V_OR_B32", [](auto a, auto b) { return a | b; }),
    def<u32(u32, u32)>("V_XOR_B32", [](auto a, auto b) { return a ^ b; }),
    def<u32(u32, u32)>("V_XNOR_B32", [](auto a, auto b) { return ~(a ^ b); }),
    def<u32(u32, u32, u32)>("V_AND_OR_B32", [](auto a, auto b, auto c) { return (a & b) | c; }),
    def<u32(u32, u32, u32)>("V_OR3_B32", [](auto a, auto b, auto c) { return a | b | c; }),
    def<u32(u32, u32, u32)>("V_XOR3_B32", [](auto a, auto b, auto c) { return a ^ b ^ c; }),
    def<u32(u32, u32, u32)>("V_LSHL_OR_B32",
                            [](auto a, auto b, auto c) { return (a << (b & 31)) | c; }),
    def<u32(u32, u32, u32, u32)>("V_BITOP3_B32", integer::by_table),
    def<u16(u16, u16, u16, u16)>("V_BITOP3_B16", integer::by_table),

    def<u32(u32, u32)>("V_LSHLREV_B32", [](auto n, auto a) { return a << (n & 31); }),
    def<u32(u32, u32)>("V_LSHRREV_B32", [](auto n, auto a) { return a >> (n & 31); }),
    def<i32(i32, i32)>("V_ASHRREV_I32", [](auto n, auto a) { return a >> (n & 31); }),

    def<u32(u32, u32, u32)>("V_BFE_U32", integer::unsigned_field),
    def<i32(i32, i32, i32)>("V_BFE_I32", integer::signed_field),
    def<u32(u32, u32, u32)>("V_BFI_B32", [](auto a, auto b, auto c) { return (a & b) | (~a & c); }),
    def<u32(u32, u32)>("V_BFM_B32",
                       [](auto a, auto b) { return ((1 << (a & 31)) - 1) << (b & 31); }),
    def<u32(u32)>("V_BFREV_B32", [](auto a) { return bit_reverse(a); }),
    def<u32(u32, u32)>("V_BCNT_U32_B32", [](auto a, auto b) { return popcount(a) + b; }),
    // All ones when there is no such bit.
    def<u32(u32)>("V_FFBH_U32", [](auto a) { return select(a == 0, -1, leading_zeros(a)); }),
    def<u32(u32)>("V_FFBL_B32", [](auto a) { return select(a == 0, -1, trailing_zeros(a)); }),
    def<i32(i32)>("V_FFBH_I32",
                  [](auto a) {
                    const auto differs = a ^ (a >> 31);
                    return select(differs == 0, -1, leading_zeros(differs));
                  }),

    // {a, b} >> n. The third operand has 16 bits on later GPUs; its low bits count on all.
    def<u32(u32, u32, u16)>("V_ALIGNBIT_B32",
                            [](auto a, auto b, auto c) {
                              const auto n = as<u32>(c & 31);
                              return ((a << 1) << (31 - n)) | (b >> n);
                            }),
    def<u32(u32, u32, u16)>("V_ALIGNBYTE_B32",
                            [](auto a, auto b, auto c) {
                              const auto n = as<u32>((c & 3) << 3);
                              return ((a << 1) << (31 - n)) | (b >> n);
                            }),

    // Lanes below this one that have their bit in the mask.
    def<u32(u32, u32, lane_index)>("V_MBCNT_LO_U32_B32",
                                   [](auto mask, auto base, auto lane) {
                                     const auto below = mask & ((1 << (lane & 31)) - 1);
                                     return base + popcount(select(lane < 32, below, mask));
                                   }),
    def<u32(u32, u32, lane_index)>("V_MBCNT_HI_U32_B32",
                                   [](auto mask, auto base, auto lane) {
                                     const auto below = mask & ((1 << (lane & 31)) - 1);
                                     return base + popcount(select(lane < 32, 0, below));
                                   }),
    // The next value of a pseudo-random sequence (CDNA4): (a << 1) ^ (a >> 31 ? 0xc5 : 0)
    def<u32(u32)>("V_PRNG_B32", [](auto a) { return next_random(a); }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
