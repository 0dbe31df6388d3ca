#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

inline constexpr Entries float16_entries{
    def<f16(f16, f16)>("V_ADD_F16", [](auto a, auto b) { return add(a, b); }),
    def<f16(f16, f16)>("V_SUB_F16", [](auto a, auto b) { return sub(a, b); }),
    def<f16(f16, f16)>("V_SUBREV_F16", [](auto a, auto b) { return sub(b, a); }),
    def<f16(f16, f16)>("V_MUL_F16", [](auto a, auto b) { return mul(a, b); }),
    def<f16(f16, f16, f16)>("V_FMA_F16", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    def<f16(f16, f16, old<f16>)>("V_FMAC_F16", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    def<f16(f16, f16, f16)>("V_FMAMK_F16", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    def<f16(f16, f16, f16)>("V_FMAAK_F16", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    def<f16(f16, f16, f16)>("V_MAD_F16", [](auto a, auto b, auto c) { return mad(a, b, c); }),
    def<f16(f16, f16, old<f16>)>("V_MAC_F16", [](auto a, auto b, auto c) { return mad(a, b, c); }),
    def<f16(f16, f16, f16)>("V_MADMK_F16", [](auto a, auto b, auto c) { return mad(a, b, c); }),
    def<f16(f16, f16, f16)>("V_MADAK_F16", [](auto a, auto b, auto c) { return mad(a, b, c); }),

    def<f16(f16, f16)>("V_MIN_F16", [](auto a, auto b) { return min(a, b); }),
    def<f16(f16, f16)>("V_MAX_F16", [](auto a, auto b) { return max(a, b); }),
    def<f16(f16, f16, f16)>("V_MIN3_F16", [](auto a, auto b, auto c) { return min(min(a, b), c); }),
    def<f16(f16, f16, f16)>("V_MAX3_F16", [](auto a, auto b, auto c) { return max(max(a, b), c); }),
    def<f16(f16, f16, f16)>("V_MED3_F16", [](auto a, auto b, auto c) { return median(a, b, c); }),
    def<f16(f16, f16, f16)>("V_MINMAX_F16",
                            [](auto a, auto b, auto c) { return max(min(a, b), c); }),
    def<f16(f16, f16, f16)>("V_MAXMIN_F16",
                            [](auto a, auto b, auto c) { return min(max(a, b), c); }),

    def<f16(f16)>("V_TRUNC_F16", [](auto a) { return trunc(a); }),
    def<f16(f16)>("V_FLOOR_F16", [](auto a) { return floor(a); }),
    def<f16(f16)>("V_CEIL_F16", [](auto a) { return ceil(a); }),
    def<f16(f16)>("V_RNDNE_F16", [](auto a) { return round_even(a); }),
    def<f16(f16)>("V_FRACT_F16", [](auto a) { return fract(a); }),
    def<f16(f16, i16)>("V_LDEXP_F16", [](auto a, auto n) { return ldexp(a, to<i32>(n)); }),
    def<f16(f16)>("V_FREXP_MANT_F16", [](auto a) { return frexp_mantissa(a); }),
    def<i16(f16)>("V_FREXP_EXP_I16_F16", [](auto a) { return to<i16>(frexp_exponent(a)); }),

    // The bits as they are: no conversion.
    def<u32(bits_of<f16>, bits_of<f16>)>("V_PACK_B32_F16",
                                         [](auto a, auto b) { return pack(a, b); }),
};

/// IEEE-754-2019's forms (GFX12).
inline constexpr Entries float16_number_entries{
    def<f16(f16, f16)>("V_MIN_NUM_F16", [](auto a, auto b) { return min_number(a, b); }),
    def<f16(f16, f16)>("V_MAX_NUM_F16", [](auto a, auto b) { return max_number(a, b); }),
    def<f16(f16, f16, f16)>("V_MIN3_NUM_F16",
                            [](auto a, auto b, auto c) { return min_number(min_number(a, b), c); }),
    def<f16(f16, f16, f16)>("V_MAX3_NUM_F16",
                            [](auto a, auto b, auto c) { return max_number(max_number(a, b), c); }),
    def<f16(f16, f16, f16)>("V_MED3_NUM_F16",
                            [](auto a, auto b, auto c) { return median_number(a, b, c); }),
    def<f16(f16, f16, f16)>("V_MINMAX_NUM_F16",
                            [](auto a, auto b, auto c) { return max_number(min_number(a, b), c); }),
    def<f16(f16, f16, f16)>("V_MAXMIN_NUM_F16",
                            [](auto a, auto b, auto c) { return min_number(max_number(a, b), c); }),
    def<f16(f16, f16)>("V_MINIMUM_F16", [](auto a, auto b) { return minimum(a, b); }),
    def<f16(f16, f16)>("V_MAXIMUM_F16", [](auto a, auto b) { return maximum(a, b); }),
    def<f16(f16, f16, f16)>("V_MINIMUM3_F16",
                            [](auto a, auto b, auto c) { return minimum(minimum(a, b), c); }),
    def<f16(f16, f16, f16)>("V_MAXIMUM3_F16",
                            [](auto a, auto b, auto c) { return maximum(maximum(a, b), c); }),
    def<f16(f16, f16, f16)>("V_MINIMUMMAXIMUM_F16",
                            [](auto a, auto b, auto c) { return maximum(minimum(a, b), c); }),
    def<f16(f16, f16, f16)>("V_MAXIMUMMINIMUM_F16",
                            [](auto a, auto b, auto c) { return minimum(maximum(a, b), c); }),
};

inline constexpr Entries packed_float16_entries{
    packed<f16(f16, f16)>("V_PK_ADD_F16", [](auto a, auto b) { return add(a, b); }),
    packed<f16(f16, f16)>("V_PK_MUL_F16", [](auto a, auto b) { return mul(a, b); }),
    packed<f16(f16, f16, f16)>("V_PK_FMA_F16", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    packed<f16(f16, f16, old<f16>)>("V_PK_FMAC_F16",
                                    [](auto a, auto b, auto c) { return fma(a, b, c); }),
    packed<f16(f16, f16)>("V_PK_MIN_F16", [](auto a, auto b) { return min(a, b); }),
    packed<f16(f16, f16)>("V_PK_MAX_F16", [](auto a, auto b) { return max(a, b); }),
    packed<f16(f16, f16)>("V_PK_MIN_NUM_F16", [](auto a, auto b) { return min_number(a, b); }),
    packed<f16(f16, f16)>("V_PK_MAX_NUM_F16", [](auto a, auto b) { return max_number(a, b); }),
    packed<f16(f16, f16)>("V_PK_MINIMUM_F16", [](auto a, auto b) { return minimum(a, b); }),
    packed<f16(f16, f16)>("V_PK_MAXIMUM_F16", [](auto a, auto b) { return maximum(a, b); }),
    packed<f16(f16, f16, f16)>("V_PK_MINIMUM3_F16",
                               [](auto a, auto b, auto c) { return minimum(minimum(a, b), c); }),
    packed<f16(f16, f16, f16)>("V_PK_MAXIMUM3_F16",
                               [](auto a, auto b, auto c) { return maximum(maximum(a, b), c); }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
