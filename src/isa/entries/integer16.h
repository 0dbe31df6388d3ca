#pragma once

#include "isa/entries/integer32.h"
#include "isa/entry.h"

// Sixteen-bit lanes live widened in 32 bits and are cut when stored, so sums and products before a
// saturation are exact here.

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

inline constexpr Entries integer16_entries{
    def<u16(u16, u16)>("V_ADD_U16", [](auto a, auto b) { return a + b; }),
    def<u16(u16, u16)>("V_SUB_U16", [](auto a, auto b) { return a - b; }),
    def<u16(u16, u16)>("V_SUBREV_U16", [](auto a, auto b) { return b - a; }),
    def<i16(i16, i16)>("V_ADD_I16", [](auto a, auto b) { return a + b; }),
    def<i16(i16, i16)>("V_SUB_I16", [](auto a, auto b) { return a - b; }),
    def<u16(u16, u16)>("V_ADD_U16_CLAMP", [](auto a, auto b) { return add_saturate(a, b); }),
    def<u16(u16, u16)>("V_SUB_U16_CLAMP", [](auto a, auto b) { return sub_saturate(a, b); }),
    def<u16(u16, u16)>("V_SUBREV_U16_CLAMP", [](auto a, auto b) { return sub_saturate(b, a); }),
    def<i16(i16, i16)>("V_ADD_I16_CLAMP", [](auto a, auto b) { return add_saturate(a, b); }),
    def<i16(i16, i16)>("V_SUB_I16_CLAMP", [](auto a, auto b) { return sub_saturate(a, b); }),
    def<u16(u16, u16)>("V_MUL_LO_U16", [](auto a, auto b) { return a * b; }),
    def<u16(u16, u16, u16)>("V_MAD_U16", [](auto a, auto b, auto c) { return a * b + c; }),
    def<u16(u16, u16, u16)>("V_MAD_LEGACY_U16", [](auto a, auto b, auto c) { return a * b + c; }),
    def<i16(i16, i16, i16)>("V_MAD_LEGACY_I16", [](auto a, auto b, auto c) { return a * b + c; }),
    def<i16(i16, i16, i16)>("V_MAD_I16", [](auto a, auto b, auto c) { return a * b + c; }),
    def<u16(u16, u16, u16)>("V_MAD_U16_CLAMP",
                            [](auto a, auto b, auto c) { return saturate<u16>(a * b + c); }),
    def<i16(i16, i16, i16)>("V_MAD_I16_CLAMP",
                            [](auto a, auto b, auto c) { return saturate<i16>(a * b + c); }),
    def<u32(u16, u16, u32)>("V_MAD_U32_U16",
                            [](auto a, auto b, auto c) { return as<u32>(a) * as<u32>(b) + c; }),
    def<i32(i16, i16, i32)>("V_MAD_I32_I16",
                            [](auto a, auto b, auto c) { return as<i32>(a) * as<i32>(b) + c; }),
    def<u32(u16, u16, u32)>(
        "V_MAD_U32_U16_CLAMP",
        [](auto a, auto b, auto c) { return add_saturate(as<u32>(a) * as<u32>(b), c); }),
    def<i32(i16, i16, i32)>(
        "V_MAD_I32_I16_CLAMP",
        [](auto a, auto b, auto c) { return add_saturate(as<i32>(a) * as<i32>(b), c); }),

    def<u16(u16, u16)>("V_MIN_U16", [](auto a, auto b) { return min(a, b); }),
    def<u16(u16, u16)>("V_MAX_U16", [](auto a, auto b) { return max(a, b); }),
    def<i16(i16, i16)>("V_MIN_I16", [](auto a, auto b) { return min(a, b); }),
    def<i16(i16, i16)>("V_MAX_I16", [](auto a, auto b) { return max(a, b); }),
    def<u16(u16, u16, u16)>("V_MIN3_U16", [](auto a, auto b, auto c) { return min(min(a, b), c); }),
    def<u16(u16, u16, u16)>("V_MAX3_U16", [](auto a, auto b, auto c) { return max(max(a, b), c); }),
    def<i16(i16, i16, i16)>("V_MIN3_I16", [](auto a, auto b, auto c) { return min(min(a, b), c); }),
    def<i16(i16, i16, i16)>("V_MAX3_I16", [](auto a, auto b, auto c) { return max(max(a, b), c); }),
    def<u16(u16, u16, u16)>("V_MED3_U16", integer::median),
    def<i16(i16, i16, i16)>("V_MED3_I16", integer::median),

    def<u16(u16, u16)>("V_LSHLREV_B16", [](auto n, auto a) { return a << (n & 15); }),
    def<u16(u16, u16)>("V_LSHRREV_B16", [](auto n, auto a) { return a >> (n & 15); }),
    def<i16(i16, i16)>("V_ASHRREV_I16", [](auto n, auto a) { return a >> (n & 15); }),
    def<u16(u16)>("V_NOT_B16", [](auto a) { return ~a; }),
    def<u16(u16, u16)>("V_AND_B16", [](auto a, auto b) { return a & b; }),
    def<u16(u16, u16)>("V_OR_B16", [](auto a, auto b) { return a | b; }),
    def<u16(u16, u16)>("V_XOR_B16", [](auto a, auto b) { return a ^ b; }),

    def<i32(i16)>("V_CVT_I32_I16", [](auto a) { return as<i32>(a); }),
    def<u32(u16)>("V_CVT_U32_U16", [](auto a) { return as<u32>(a); }),
    def<u32(i32, i32)>("V_CVT_PK_I16_I32",
                       [](auto a, auto b) {
                         const auto low = as<u32>(saturate<i16>(a)),
                                    high = as<u32>(saturate<i16>(b));
                         return (low & 0xffff) | high << 16;
                       }),
    def<u32(u32, u32)>("V_CVT_PK_U16_U32",
                       [](auto a, auto b) { return min(a, 65535) | min(b, 65535) << 16; }),
};

inline constexpr Entries packed16_entries{
    packed<u16(u16, u16)>("V_PK_ADD_U16", [](auto a, auto b) { return a + b; }),
    packed<u16(u16, u16)>("V_PK_SUB_U16", [](auto a, auto b) { return a - b; }),
    packed<i16(i16, i16)>("V_PK_ADD_I16", [](auto a, auto b) { return a + b; }),
    packed<i16(i16, i16)>("V_PK_SUB_I16", [](auto a, auto b) { return a - b; }),
    packed<u16(u16, u16)>("V_PK_ADD_U16_CLAMP", [](auto a, auto b) { return add_saturate(a, b); }),
    packed<u16(u16, u16)>("V_PK_SUB_U16_CLAMP", [](auto a, auto b) { return sub_saturate(a, b); }),
    packed<i16(i16, i16)>("V_PK_ADD_I16_CLAMP", [](auto a, auto b) { return add_saturate(a, b); }),
    packed<i16(i16, i16)>("V_PK_SUB_I16_CLAMP", [](auto a, auto b) { return sub_saturate(a, b); }),
    packed<u16(u16, u16)>("V_PK_MUL_LO_U16", [](auto a, auto b) { return a * b; }),
    packed<u16(u16, u16, u16)>("V_PK_MAD_U16", [](auto a, auto b, auto c) { return a * b + c; }),
    packed<i16(i16, i16, i16)>("V_PK_MAD_I16", [](auto a, auto b, auto c) { return a * b + c; }),
    packed<u16(u16, u16, u16)>("V_PK_MAD_U16_CLAMP",
                               [](auto a, auto b, auto c) { return saturate<u16>(a * b + c); }),
    packed<i16(i16, i16, i16)>("V_PK_MAD_I16_CLAMP",
                               [](auto a, auto b, auto c) { return saturate<i16>(a * b + c); }),
    packed<u16(u16, u16)>("V_PK_MIN_U16", [](auto a, auto b) { return min(a, b); }),
    packed<u16(u16, u16)>("V_PK_MAX_U16", [](auto a, auto b) { return max(a, b); }),
    packed<i16(i16, i16)>("V_PK_MIN_I16", [](auto a, auto b) { return min(a, b); }),
    packed<i16(i16, i16)>("V_PK_MAX_I16", [](auto a, auto b) { return max(a, b); }),
    packed<u16(u16, u16)>("V_PK_LSHLREV_B16", [](auto n, auto a) { return a << (n & 15); }),
    packed<u16(u16, u16)>("V_PK_LSHRREV_B16", [](auto n, auto a) { return a >> (n & 15); }),
    packed<i16(i16, i16)>("V_PK_ASHRREV_I16", [](auto n, auto a) { return a >> (n & 15); }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
