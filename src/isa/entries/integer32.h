#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {
namespace integer {

// --- carries ----------------------------------------------------------------------------------

inline constexpr auto add_with_carry = [](auto a, auto b, auto carry) {
  const auto sum = a + b, all = sum + to<u32>(carry);
  return with(all, (sum < a) | (all < sum));
};
inline constexpr auto sub_with_borrow = [](auto a, auto b, auto borrow) {
  const auto difference = a - b, in = to<u32>(borrow);
  return with(difference - in, (a < b) | (difference < in));
};

// --- 24-bit factors in 32-bit operands ----------------------------------------------------------

inline constexpr auto low24 = [](auto a) { return a & 0xffffff; };
inline constexpr auto signed24 = [](auto a) { return (a << 8) >> 8; };

inline constexpr auto median = [](auto a, auto b, auto c) {
  return max(min(a, b), min(max(a, b), c));
};

}  // namespace integer

inline constexpr Entries integer32_entries{
    def<u32(u32, u32)>("V_ADD_U32", [](auto a, auto b) { return a + b; }),
    def<u32(u32, u32)>("V_SUB_U32", [](auto a, auto b) { return a - b; }),
    def<u32(u32, u32)>("V_SUBREV_U32", [](auto a, auto b) { return b - a; }),
    def<i32(i32, i32)>("V_ADD_I32", [](auto a, auto b) { return a + b; }),
    def<i32(i32, i32)>("V_SUB_I32", [](auto a, auto b) { return a - b; }),
    def<u32(u32, u32)>("V_ADD_U32_CLAMP", [](auto a, auto b) { return add_saturate(a, b); }),
    def<u32(u32, u32)>("V_SUB_U32_CLAMP", [](auto a, auto b) { return sub_saturate(a, b); }),
    def<u32(u32, u32)>("V_SUBREV_U32_CLAMP", [](auto a, auto b) { return sub_saturate(b, a); }),
    def<i32(i32, i32)>("V_ADD_I32_CLAMP", [](auto a, auto b) { return add_saturate(a, b); }),
    def<i32(i32, i32)>("V_SUB_I32_CLAMP", [](auto a, auto b) { return sub_saturate(a, b); }),

    def<with_bit<u32>(u32, u32)>("V_ADD_CO_U32",
                                 [](auto a, auto b) { return with(a + b, a + b < a); }),
    def<with_bit<u32>(u32, u32)>("V_SUB_CO_U32", [](auto a, auto b) { return with(a - b, a < b); }),
    def<with_bit<u32>(u32, u32)>("V_SUBREV_CO_U32",
                                 [](auto a, auto b) { return with(b - a, b < a); }),
    def<with_bit<u32>(u32, u32, b1)>("V_ADDC_CO_U32", integer::add_with_carry),
    def<with_bit<u32>(u32, u32, b1)>("V_SUBB_CO_U32", integer::sub_with_borrow),
    def<with_bit<u32>(u32, u32, b1)>(
        "V_SUBBREV_CO_U32",
        [](auto a, auto b, auto borrow) { return integer::sub_with_borrow(b, a, borrow); }),

    def<u32(u32, u32)>("V_MUL_LO_U32", [](auto a, auto b) { return a * b; }),
    def<u32(u32, u32)>("V_MUL_HI_U32", [](auto a, auto b) { return mul_high(a, b); }),
    def<i32(i32, i32)>("V_MUL_HI_I32", [](auto a, auto b) { return mul_high(a, b); }),
    def<u32(u32, u32)>("V_MUL_U32_U24",
                       [](auto a, auto b) { return integer::low24(a) * integer::low24(b); }),
    def<i32(i32, i32)>("V_MUL_I32_I24",
                       [](auto a, auto b) { return integer::signed24(a) * integer::signed24(b); }),
    def<u32(u32, u32)>(
        "V_MUL_HI_U32_U24",
        [](auto a, auto b) { return mul_high(integer::low24(a), integer::low24(b)); }),
    def<i32(i32, i32)>(
        "V_MUL_HI_I32_I24",
        [](auto a, auto b) { return mul_high(integer::signed24(a), integer::signed24(b)); }),
    def<u32(u32, u32, u32)>(
        "V_MAD_U32_U24",
        [](auto a, auto b, auto c) { return integer::low24(a) * integer::low24(b) + c; }),
    def<i32(i32, i32, i32)>(
        "V_MAD_I32_I24",
        [](auto a, auto b, auto c) { return integer::signed24(a) * integer::signed24(b) + c; }),
    def<u32(u32, u32, u32)>("V_MAD_U32_U24_CLAMP",
                            [](auto a, auto b, auto c) {
                              return saturate<u32>(to<u64>(integer::low24(a)) *
                                                       to<u64>(integer::low24(b)) +
                                                   to<u64>(c));
                            }),
    def<i32(i32, i32, i32)>("V_MAD_I32_I24_CLAMP",
                            [](auto a, auto b, auto c) {
                              return saturate<i32>(to<i64>(integer::signed24(a)) *
                                                       to<i64>(integer::signed24(b)) +
                                                   to<i64>(c));
                            }),

    def<u32(u32, u32, u32)>("V_ADD3_U32", [](auto a, auto b, auto c) { return a + b + c; }),
    def<u32(u32, u32, u32)>("V_LSHL_ADD_U32",
                            [](auto a, auto b, auto c) { return (a << (b & 31)) + c; }),
    def<u32(u32, u32, u32)>("V_ADD_LSHL_U32",
                            [](auto a, auto b, auto c) { return (a + b) << (c & 31); }),
    def<u32(u32, u32, u32)>("V_XAD_U32", [](auto a, auto b, auto c) { return (a ^ b) + c; }),

    def<u32(u32, u32)>("V_MIN_U32", [](auto a, auto b) { return min(a, b); }),
    def<u32(u32, u32)>("V_MAX_U32", [](auto a, auto b) { return max(a, b); }),
    def<i32(i32, i32)>("V_MIN_I32", [](auto a, auto b) { return min(a, b); }),
    def<i32(i32, i32)>("V_MAX_I32", [](auto a, auto b) { return max(a, b); }),
    def<u32(u32, u32, u32)>("V_MIN3_U32", [](auto a, auto b, auto c) { return min(min(a, b), c); }),
    def<u32(u32, u32, u32)>("V_MAX3_U32", [](auto a, auto b, auto c) { return max(max(a, b), c); }),
    def<i32(i32, i32, i32)>("V_MIN3_I32", [](auto a, auto b, auto c) { return min(min(a, b), c); }),
    def<i32(i32, i32, i32)>("V_MAX3_I32", [](auto a, auto b, auto c) { return max(max(a, b), c); }),
    def<u32(u32, u32, u32)>("V_MED3_U32", integer::median),
    def<i32(i32, i32, i32)>("V_MED3_I32", integer::median),
    def<u32(u32, u32, u32)>("V_MINMAX_U32",
                            [](auto a, auto b, auto c) { return max(min(a, b), c); }),
    def<i32(i32, i32, i32)>("V_MINMAX_I32",
                            [](auto a, auto b, auto c) { return max(min(a, b), c); }),
    def<u32(u32, u32, u32)>("V_MAXMIN_U32",
                            [](auto a, auto b, auto c) { return min(max(a, b), c); }),
    def<i32(i32, i32, i32)>("V_MAXMIN_I32",
                            [](auto a, auto b, auto c) { return min(max(a, b), c); }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
