#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

inline constexpr Entries float64_entries{
    def<f64(f64, f64)>("V_ADD_F64", [](auto a, auto b) { return add(a, b); }),
    def<f64(f64, f64)>("V_MUL_F64", [](auto a, auto b) { return mul(a, b); }),
    def<f64(f64, f64, f64)>("V_FMA_F64", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    def<f64(f64, f64, old<f64>)>("V_FMAC_F64", [](auto a, auto b, auto c) { return fma(a, b, c); }),

    def<f64(f64, f64)>("V_MIN_F64", [](auto a, auto b) { return min(a, b); }),
    def<f64(f64, f64)>("V_MAX_F64", [](auto a, auto b) { return max(a, b); }),
    def<f64(f64, f64)>("V_MIN_NUM_F64", [](auto a, auto b) { return min_number(a, b); }),
    def<f64(f64, f64)>("V_MAX_NUM_F64", [](auto a, auto b) { return max_number(a, b); }),
    def<f64(f64, f64)>("V_MINIMUM_F64", [](auto a, auto b) { return minimum(a, b); }),
    def<f64(f64, f64)>("V_MAXIMUM_F64", [](auto a, auto b) { return maximum(a, b); }),

    def<f64(f64)>("V_TRUNC_F64", [](auto a) { return trunc(a); }),
    def<f64(f64)>("V_FLOOR_F64", [](auto a) { return floor(a); }),
    def<f64(f64)>("V_CEIL_F64", [](auto a) { return ceil(a); }),
    def<f64(f64)>("V_RNDNE_F64", [](auto a) { return round_even(a); }),
    def<f64(f64)>("V_FRACT_F64", [](auto a) { return fract(a); }),
    def<f64(f64, i32)>("V_LDEXP_F64", [](auto a, auto n) { return ldexp(a, n); }),
    def<f64(f64)>("V_FREXP_MANT_F64", [](auto a) { return frexp_mantissa(a); }),
    def<i32(f64)>("V_FREXP_EXP_I32_F64", [](auto a) { return frexp_exponent(a); }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
