#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {
namespace scalars {

/// Most results come with SCC = "is not zero".
inline constexpr auto with_nonzero = [](auto a) { return with(a, a != 0); };

inline constexpr auto add_signed = [](auto a, auto b) {
  const auto sum = a + b;
  return with(sum, ((a ^ sum) & (b ^ sum)) < 0);
};
inline constexpr auto sub_signed = [](auto a, auto b) {
  const auto difference = a - b;
  return with(difference, ((a ^ b) & (a ^ difference)) < 0);
};
/// (a << n) + b and its carry.
template <int n>
inline constexpr auto shift_add = [](auto a, auto b) {
  const auto sum = (to<u64>(a) << n) + to<u64>(b);
  return with(to<u32>(sum), (sum >> 32) != 0);
};

// Bit fields: `at` holds the offset in its low bits and the width in bits 22:16. The manuals leave
// open what a width beyond the register gives; we take it as "all bits".
inline constexpr auto unsigned_field32 = [](auto a, auto at) {
  const auto width = (at >> 16) & 127, field = a >> (at & 31);
  return with_nonzero(select(width < 32, field & ((1 << (width & 31)) - 1), field));
};
inline constexpr auto unsigned_field64 = [](auto a, auto at) {
  const auto width = (at >> 16) & 127;
  const auto field = a >> to<u64>(at & 63);
  return with_nonzero(select(width < 64, field & ((1 << to<u64>(width & 63)) - 1), field));
};
inline constexpr auto signed_field32 = [](auto a, auto at) {
  const auto width = (at >> 16) & 127, field = a >> (at & 31);
  const auto rest = (32 - width) & 31;
  return with_nonzero(select(width == 0, 0, select(width < 32, (field << rest) >> rest, field)));
};
inline constexpr auto signed_field64 = [](auto a, auto at) {
  const auto width = (at >> 16) & 127;
  const auto field = a >> to<i64>(at & 63), rest = to<i64>((64 - width) & 63);
  return with_nonzero(select(width == 0, 0, select(width < 64, (field << rest) >> rest, field)));
};

/// In every group of four bits: the lowest bit says whether any is set.
inline constexpr auto any_of_four = [](auto a) {
  const auto pairs = a | (a >> 1);
  return (pairs | (pairs >> 2)) & 0x1111111111111111;
};
/// Moves bits 0, 4, 8, ... together.
inline constexpr auto every_fourth_bit = [](auto a) {
  const auto two = (a | (a >> 3)) & 0x0303030303030303;
  const auto four = (two | (two >> 6)) & 0x000f000f000f000f;
  return (four | (four >> 12)) & 0x000000ff000000ff;
};
/// Each bit twice.
inline constexpr auto doubled_bits = [](auto a) {
  const auto x16 = (a | (a << 16)) & 0x0000ffff0000ffff;
  const auto x8 = (x16 | (x16 << 8)) & 0x00ff00ff00ff00ff;
  const auto x4 = (x8 | (x8 << 4)) & 0x0f0f0f0f0f0f0f0f;
  const auto x2 = (x4 | (x4 << 2)) & 0x3333333333333333;
  const auto x1 = (x2 | (x2 << 1)) & 0x5555555555555555;
  return x1 | (x1 << 1);
};

// Positions of bits: -1 when there is none.
inline constexpr auto first_one = [](auto a) {
  return to<i32>(select(a == 0, -1, trailing_zeros(a)));
};
inline constexpr auto last_one = [](auto a) {
  return to<i32>(select(a == 0, -1, leading_zeros(a)));
};
/// Bits below the sign that equal it, plus one.
inline constexpr auto sign_run32 = [](auto a) {
  const auto differs = a ^ (a >> 31);
  return select(differs == 0, -1, leading_zeros(differs));
};
inline constexpr auto sign_run64 = [](auto a) {
  const auto differs = a ^ (a >> 63);
  return to<i32>(select(differs == 0, -1, leading_zeros(differs)));
};

inline constexpr auto low16 = [](auto a) { return a & 0xffff; };
inline constexpr auto high16 = [](auto a) { return a >> 16; };

}  // namespace scalars

inline constexpr Entries scalar_arithmetic_entries{
    scalar<with_bit<u32>(u32, u32)>("S_ADD_U32",
                                    [](auto a, auto b) { return with(a + b, a + b < a); }),
    scalar<with_bit<u32>(u32, u32)>("S_SUB_U32", [](auto a, auto b) { return with(a - b, a < b); }),
    scalar<with_bit<i32>(i32, i32)>("S_ADD_I32", scalars::add_signed),
    scalar<with_bit<i32>(i32, i32)>("S_SUB_I32", scalars::sub_signed),
    scalar<with_bit<u32>(u32, u32, b1)>("S_ADDC_U32",
                                        [](auto a, auto b, auto carry) {
                                          const auto sum = a + b, all = sum + to<u32>(carry);
                                          return with(all, (sum < a) | (all < sum));
                                        }),
    scalar<with_bit<u32>(u32, u32, b1)>("S_SUBB_U32",
                                        [](auto a, auto b, auto borrow) {
                                          const auto difference = a - b, in = to<u32>(borrow);
                                          return with(difference - in, (a < b) | (difference < in));
                                        }),
    // GFX12; no SCC.
    scalar<u64(u64, u64)>("S_ADD_U64", [](auto a, auto b) { return a + b; }),
    scalar<u64(u64, u64)>("S_SUB_U64", [](auto a, auto b) { return a - b; }),
    scalar<u64(u64, u64)>("S_MUL_U64", [](auto a, auto b) { return a * b; }),

    scalar<with_bit<i32>(i32, i32)>("S_MIN_I32",
                                    [](auto a, auto b) { return with(min(a, b), a < b); }),
    scalar<with_bit<u32>(u32, u32)>("S_MIN_U32",
                                    [](auto a, auto b) { return with(min(a, b), a < b); }),
    // The manuals' SCC is "the first is chosen", and the first is chosen when both are equal.
    scalar<with_bit<i32>(i32, i32)>("S_MAX_I32",
                                    [](auto a, auto b) { return with(max(a, b), a >= b); }),
    scalar<with_bit<u32>(u32, u32)>("S_MAX_U32",
                                    [](auto a, auto b) { return with(max(a, b), a >= b); }),
    scalar<i32(i32, i32)>("S_MUL_I32", [](auto a, auto b) { return a * b; }),
    scalar<u32(u32, u32)>("S_MUL_HI_U32", [](auto a, auto b) { return mul_high(a, b); }),
    scalar<i32(i32, i32)>("S_MUL_HI_I32", [](auto a, auto b) { return mul_high(a, b); }),
    scalar<with_bit<u32>(u32, u32)>("S_LSHL1_ADD_U32", scalars::shift_add<1>),
    scalar<with_bit<u32>(u32, u32)>("S_LSHL2_ADD_U32", scalars::shift_add<2>),
    scalar<with_bit<u32>(u32, u32)>("S_LSHL3_ADD_U32", scalars::shift_add<3>),
    scalar<with_bit<u32>(u32, u32)>("S_LSHL4_ADD_U32", scalars::shift_add<4>),
    scalar<with_bit<i32>(i32)>(
        "S_ABS_I32", [](auto a) { return scalars::with_nonzero(select(a < 0, 0 - a, a)); }),
    scalar<with_bit<i32>(i32, i32)>("S_ABSDIFF_I32",
                                    [](auto a, auto b) {
                                      const auto d = a - b;
                                      return scalars::with_nonzero(select(d < 0, 0 - d, d));
                                    }),
    scalar<i32(i32)>("S_SEXT_I32_I8", [](auto a) { return (a << 24) >> 24; }),
    scalar<i32(i32)>("S_SEXT_I32_I16", [](auto a) { return (a << 16) >> 16; }),

    // SOPK: the first source is the destination's old value, the second the constant,
    // sign-extended.
    scalar<i32(i32, i32)>("S_MOVK_I32", [](auto, auto k) { return k; }),
    scalar<i32(i32, i32, b1)>("S_CMOVK_I32",
                              [](auto a, auto k, auto scc) { return select(scc, k, a); }),
    scalar<with_bit<i32>(i32, i32)>("S_ADDK_I32", scalars::add_signed),
    scalar<i32(i32, i32)>("S_MULK_I32", [](auto a, auto k) { return a * k; }),
};

inline constexpr Entries scalar_bit_entries{
    scalar<u32(u32)>("S_MOV_B32", [](auto a) { return a; }),
    scalar<u64(u64)>("S_MOV_B64", [](auto a) { return a; }),
    scalar<u32(u32, u32, b1)>("S_CSELECT_B32",
                              [](auto a, auto b, auto scc) { return select(scc, a, b); }),
    scalar<u64(u64, u64, b1)>("S_CSELECT_B64",
                              [](auto a, auto b, auto scc) { return select(scc, a, b); }),
    scalar<u32(u32, b1, old<u32>)>("S_CMOV_B32",
                                   [](auto a, auto scc, auto d) { return select(scc, a, d); }),
    scalar<u64(u64, b1, old<u64>)>("S_CMOV_B64",
                                   [](auto a, auto scc, auto d) { return select(scc, a, d); }),

#define HIPSIGHT_LOGIC(NAME, expression)                                                   \
  scalar<with_bit<u32>(u32, u32)>(                                                         \
      "S_" NAME "_B32", [](auto a, auto b) { return scalars::with_nonzero(expression); }), \
      scalar<with_bit<u64>(u64, u64)>(                                                     \
          "S_" NAME "_B64", [](auto a, auto b) { return scalars::with_nonzero(expression); })
    HIPSIGHT_LOGIC("AND", a& b),
    HIPSIGHT_LOGIC("OR", a | b),
    HIPSIGHT_LOGIC("XOR", a ^ b),
    HIPSIGHT_LOGIC("ANDN2", a & ~b),
    HIPSIGHT_LOGIC("ORN2", a | ~b),
    HIPSIGHT_LOGIC("NAND", ~(a& b)),
    HIPSIGHT_LOGIC("NOR", ~(a | b)),
    HIPSIGHT_LOGIC("XNOR", ~(a ^ b)),
#undef HIPSIGHT_LOGIC
    scalar<with_bit<u32>(u32)>("S_NOT_B32", [](auto a) { return scalars::with_nonzero(~a); }),
    scalar<with_bit<u64>(u64)>("S_NOT_B64", [](auto a) { return scalars::with_nonzero(~a); }),

    scalar<with_bit<u32>(u32, u32)>(
        "S_LSHL_B32", [](auto a, auto n) { return scalars::with_nonzero(a << (n & 31)); }),
    scalar<with_bit<u32>(u32, u32)>(
        "S_LSHR_B32", [](auto a, auto n) { return scalars::with_nonzero(a >> (n & 31)); }),
    scalar<with_bit<i32>(i32, i32)>(
        "S_ASHR_I32", [](auto a, auto n) { return scalars::with_nonzero(a >> (n & 31)); }),
    scalar<with_bit<u64>(u64, u32)>(
        "S_LSHL_B64", [](auto a, auto n) { return scalars::with_nonzero(a << to<u64>(n & 63)); }),
    scalar<with_bit<u64>(u64, u32)>(
        "S_LSHR_B64", [](auto a, auto n) { return scalars::with_nonzero(a >> to<u64>(n & 63)); }),
    scalar<with_bit<i64>(i64, i32)>(
        "S_ASHR_I64", [](auto a, auto n) { return scalars::with_nonzero(a >> to<i64>(n & 63)); }),

    scalar<with_bit<u32>(u32, u32)>("S_BFE_U32", scalars::unsigned_field32),
    scalar<with_bit<i32>(i32, i32)>("S_BFE_I32", scalars::signed_field32),
    scalar<with_bit<u64>(u64, u32)>("S_BFE_U64", scalars::unsigned_field64),
    scalar<with_bit<i64>(i64, i32)>("S_BFE_I64", scalars::signed_field64),
    scalar<u32(u32, u32)>("S_BFM_B32",
                          [](auto a, auto b) { return ((1 << (a & 31)) - 1) << (b & 31); }),
    scalar<u64(u32, u32)>(
        "S_BFM_B64",
        [](auto a, auto b) { return ((1 << to<u64>(a & 63)) - 1) << to<u64>(b & 63); }),
    scalar<u32(u32)>("S_BREV_B32", [](auto a) { return bit_reverse(a); }),
    scalar<u64(u64)>("S_BREV_B64", [](auto a) { return bit_reverse(a); }),
    scalar<with_bit<u32>(u32)>("S_BCNT1_I32_B32",
                               [](auto a) { return scalars::with_nonzero(popcount(a)); }),
    scalar<with_bit<u32>(u64)>("S_BCNT1_I32_B64",
                               [](auto a) { return scalars::with_nonzero(to<u32>(popcount(a))); }),
    scalar<with_bit<u32>(u32)>("S_BCNT0_I32_B32",
                               [](auto a) { return scalars::with_nonzero(popcount(~a)); }),
    scalar<with_bit<u32>(u64)>("S_BCNT0_I32_B64",
                               [](auto a) { return scalars::with_nonzero(to<u32>(popcount(~a))); }),
    scalar<i32(u32)>("S_FF1_I32_B32", scalars::first_one),
    scalar<i32(u64)>("S_FF1_I32_B64", scalars::first_one),
    scalar<i32(u32)>("S_FF0_I32_B32", [](auto a) { return scalars::first_one(~a); }),
    scalar<i32(u64)>("S_FF0_I32_B64", [](auto a) { return scalars::first_one(~a); }),
    scalar<i32(u32)>("S_FLBIT_I32_B32", scalars::last_one),
    scalar<i32(u64)>("S_FLBIT_I32_B64", scalars::last_one),
    scalar<i32(i32)>("S_FLBIT_I32", scalars::sign_run32),
    scalar<i32(i64)>("S_FLBIT_I32_I64", scalars::sign_run64),

    scalar<u32(u32, old<u32>)>("S_BITSET0_B32",
                               [](auto a, auto d) { return d & ~(1 << (a & 31)); }),
    scalar<u32(u32, old<u32>)>("S_BITSET1_B32", [](auto a, auto d) { return d | 1 << (a & 31); }),
    scalar<u64(u32, old<u64>)>("S_BITSET0_B64",
                               [](auto a, auto d) { return d & ~(1 << to<u64>(a & 63)); }),
    scalar<u64(u32, old<u64>)>("S_BITSET1_B64",
                               [](auto a, auto d) { return d | 1 << to<u64>(a & 63); }),
    scalar<with_bit<u32>(u32)>(
        "S_WQM_B32", [](auto a) { return scalars::with_nonzero(scalars::any_of_four(a) * 15); }),
    scalar<with_bit<u64>(u64)>(
        "S_WQM_B64", [](auto a) { return scalars::with_nonzero(scalars::any_of_four(a) * 15); }),
    scalar<with_bit<u32>(u32)>("S_QUADMASK_B32",
                               [](auto a) {
                                 return scalars::with_nonzero(
                                     scalars::every_fourth_bit(scalars::any_of_four(a)));
                               }),
    scalar<with_bit<u64>(u64)>("S_QUADMASK_B64",
                               [](auto a) {
                                 const auto eight =
                                     scalars::every_fourth_bit(scalars::any_of_four(a));
                                 return scalars::with_nonzero((eight | (eight >> 24)) & 0xffff);
                               }),
    scalar<u64(u32)>("S_BITREPLICATE_B64_B32",
                     [](auto a) { return scalars::doubled_bits(to<u64>(a)); }),

    // Halves of the first source, then of the second: low or high.
    scalar<u32(u32, u32)>("S_PACK_LL_B32_B16",
                          [](auto a, auto b) { return scalars::low16(a) | b << 16; }),
    scalar<u32(u32, u32)>(
        "S_PACK_LH_B32_B16",
        [](auto a, auto b) { return scalars::low16(a) | scalars::high16(b) << 16; }),
    scalar<u32(u32, u32)>("S_PACK_HL_B32_B16",
                          [](auto a, auto b) { return scalars::high16(a) | b << 16; }),
    scalar<u32(u32, u32)>(
        "S_PACK_HH_B32_B16",
        [](auto a, auto b) { return scalars::high16(a) | scalars::high16(b) << 16; }),
};

// S_CMPK compares with the constant; the unsigned forms take its 16 bits zero-extended.
#define HIPSIGHT_COMPARE(NAME, OP)                                                        \
  scalar<b1(i32, i32)>("S_CMP_" NAME "_I32", [](auto a, auto b) { return a OP b; }),      \
      scalar<b1(u32, u32)>("S_CMP_" NAME "_U32", [](auto a, auto b) { return a OP b; }),  \
      scalar<b1(i32, i32)>("S_CMPK_" NAME "_I32", [](auto a, auto k) { return a OP k; }), \
      scalar<b1(u32, u32)>("S_CMPK_" NAME "_U32", [](auto a, auto k) { return a OP(k & 0xffff); })
inline constexpr Entries scalar_compare_entries{
    HIPSIGHT_COMPARE("EQ", ==),
    HIPSIGHT_COMPARE("LG", !=),
    HIPSIGHT_COMPARE("GT", >),
    HIPSIGHT_COMPARE("GE", >=),
    HIPSIGHT_COMPARE("LT", <),
    HIPSIGHT_COMPARE("LE", <=),
    scalar<b1(u64, u64)>("S_CMP_EQ_U64", [](auto a, auto b) { return a == b; }),
    scalar<b1(u64, u64)>("S_CMP_LG_U64", [](auto a, auto b) { return a != b; }),
    scalar<b1(u32, u32)>("S_BITCMP0_B32",
                         [](auto a, auto b) { return ((a >> (b & 31)) & 1) == 0; }),
    scalar<b1(u32, u32)>("S_BITCMP1_B32",
                         [](auto a, auto b) { return ((a >> (b & 31)) & 1) != 0; }),
    scalar<b1(u64, u32)>("S_BITCMP0_B64",
                         [](auto a, auto b) { return ((a >> to<u64>(b & 63)) & 1) == 0; }),
    scalar<b1(u64, u32)>("S_BITCMP1_B64",
                         [](auto a, auto b) { return ((a >> to<u64>(b & 63)) & 1) != 0; }),
};
#undef HIPSIGHT_COMPARE

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
