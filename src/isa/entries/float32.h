#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

inline constexpr Entries float32_entries{
    def<f32(f32, f32)>("V_ADD_F32", [](auto a, auto b) { return add(a, b); }),
    def<f32(f32, f32)>("V_SUB_F32", [](auto a, auto b) { return sub(a, b); }),
    def<f32(f32, f32)>("V_SUBREV_F32", [](auto a, auto b) { return sub(b, a); }),
    def<f32(f32, f32)>("V_MUL_F32", [](auto a, auto b) { return mul(a, b); }),
    def<f32(f32, f32, f32)>("V_FMA_F32", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    def<f32(f32, f32, old<f32>)>("V_FMAC_F32", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    def<f32(f32, f32, f32)>("V_FMAMK_F32", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    def<f32(f32, f32, f32)>("V_FMAAK_F32", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    def<f32(f32, f32, f32)>("V_MAD_F32", [](auto a, auto b, auto c) { return mad(a, b, c); }),
    def<f32(f32, f32, old<f32>)>("V_MAC_F32", [](auto a, auto b, auto c) { return mad(a, b, c); }),
    def<f32(f32, f32, f32)>("V_MADMK_F32", [](auto a, auto b, auto c) { return mad(a, b, c); }),
    def<f32(f32, f32, f32)>("V_MADAK_F32", [](auto a, auto b, auto c) { return mad(a, b, c); }),

    packed<f32(f32, f32, f32)>("V_PK_FMA_F32", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    packed<f32(f32, f32)>("V_PK_MUL_F32", [](auto a, auto b) { return mul(a, b); }),
    packed<f32(f32, f32)>("V_PK_ADD_F32", [](auto a, auto b) { return add(a, b); }),

    // DirectX 9: zero times anything is zero.
    def<f32(f32, f32)>("V_MUL_LEGACY_F32", [](auto a, auto b) { return mul_legacy(a, b); }),
    def<f32(f32, f32, f32)>("V_MAD_LEGACY_F32",
                            [](auto a, auto b, auto c) { return add(mul_legacy(a, b), c); }),
    def<f32(f32, f32, f32)>("V_FMA_DX9_ZERO_F32",
                            [](auto a, auto b, auto c) { return fma_legacy(a, b, c); }),
    def<f32(f32, f32, old<f32>)>("V_FMAC_DX9_ZERO_F32",
                                 [](auto a, auto b, auto c) { return fma_legacy(a, b, c); }),
    def<f32(f32, f32, f32)>("V_MULLIT_F32",
                            [](auto a, auto b, auto c) {
                              constexpr float lowest = -0x1.fffffep127f;
                              return select(!(b > lowest) | !(c > 0), lowest, mul_legacy(a, b));
                            }),

    def<f32(f32, f32)>("V_MIN_F32", [](auto a, auto b) { return min(a, b); }),
    def<f32(f32, f32)>("V_MAX_F32", [](auto a, auto b) { return max(a, b); }),
    def<f32(f32, f32, f32)>("V_MIN3_F32", [](auto a, auto b, auto c) { return min(min(a, b), c); }),
    def<f32(f32, f32, f32)>("V_MAX3_F32", [](auto a, auto b, auto c) { return max(max(a, b), c); }),
    def<f32(f32, f32, f32)>("V_MED3_F32", [](auto a, auto b, auto c) { return median(a, b, c); }),
    def<f32(f32, f32, f32)>("V_MINMAX_F32",
                            [](auto a, auto b, auto c) { return max(min(a, b), c); }),
    def<f32(f32, f32, f32)>("V_MAXMIN_F32",
                            [](auto a, auto b, auto c) { return min(max(a, b), c); }),

    def<f32(f32)>("V_TRUNC_F32", [](auto a) { return trunc(a); }),
    def<f32(f32)>("V_FLOOR_F32", [](auto a) { return floor(a); }),
    def<f32(f32)>("V_CEIL_F32", [](auto a) { return ceil(a); }),
    def<f32(f32)>("V_RNDNE_F32", [](auto a) { return round_even(a); }),
    def<f32(f32)>("V_FRACT_F32", [](auto a) { return fract(a); }),
    def<f32(f32, i32)>("V_LDEXP_F32", [](auto a, auto n) { return ldexp(a, n); }),
    def<f32(f32)>("V_FREXP_MANT_F32", [](auto a) { return frexp_mantissa(a); }),
    def<i32(f32)>("V_FREXP_EXP_I32_F32", [](auto a) { return frexp_exponent(a); }),
};

/// IEEE-754-2019's forms (GFX12; the three-operand ones also GFX950).
inline constexpr Entries float32_number_entries{
    def<f32(f32, f32)>("V_MIN_NUM_F32", [](auto a, auto b) { return min_number(a, b); }),
    def<f32(f32, f32)>("V_MAX_NUM_F32", [](auto a, auto b) { return max_number(a, b); }),
    def<f32(f32, f32, f32)>("V_MIN3_NUM_F32",
                            [](auto a, auto b, auto c) { return min_number(min_number(a, b), c); }),
    def<f32(f32, f32, f32)>("V_MAX3_NUM_F32",
                            [](auto a, auto b, auto c) { return max_number(max_number(a, b), c); }),
    def<f32(f32, f32, f32)>("V_MED3_NUM_F32",
                            [](auto a, auto b, auto c) { return median_number(a, b, c); }),
    def<f32(f32, f32, f32)>("V_MINMAX_NUM_F32",
                            [](auto a, auto b, auto c) { return max_number(min_number(a, b), c); }),
    def<f32(f32, f32, f32)>("V_MAXMIN_NUM_F32",
                            [](auto a, auto b, auto c) { return min_number(max_number(a, b), c); }),
    def<f32(f32, f32)>("V_MINIMUM_F32", [](auto a, auto b) { return minimum(a, b); }),
    def<f32(f32, f32)>("V_MAXIMUM_F32", [](auto a, auto b) { return maximum(a, b); }),
    def<f32(f32, f32, f32)>("V_MINIMUM3_F32",
                            [](auto a, auto b, auto c) { return minimum(minimum(a, b), c); }),
    def<f32(f32, f32, f32)>("V_MAXIMUM3_F32",
                            [](auto a, auto b, auto c) { return maximum(maximum(a, b), c); }),
    def<f32(f32, f32, f32)>("V_MINIMUMMAXIMUM_F32",
                            [](auto a, auto b, auto c) { return maximum(minimum(a, b), c); }),
    def<f32(f32, f32, f32)>("V_MAXIMUMMINIMUM_F32",
                            [](auto a, auto b, auto c) { return minimum(maximum(a, b), c); }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
