#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

/// Operands: value to scale, denominator, numerator; quotient, denominator, numerator.
inline constexpr Entries division_entries{
    def<with_bit<f32>(f32, f32, f32)>(
        "V_DIV_SCALE_F32", [](auto value, auto d, auto n) { return div_scale(value, d, n); }),
    def<with_bit<f64>(f64, f64, f64)>(
        "V_DIV_SCALE_F64", [](auto value, auto d, auto n) { return div_scale(value, d, n); }),
    def<f32(f32, f32, f32, b1)>(
        "V_DIV_FMAS_F32",
        [](auto a, auto b, auto c, auto scaled) { return div_fmas(a, b, c, scaled); }),
    def<f64(f64, f64, f64, b1)>(
        "V_DIV_FMAS_F64",
        [](auto a, auto b, auto c, auto scaled) { return div_fmas(a, b, c, scaled); }),
    def<f32(f32, f32, f32)>("V_DIV_FIXUP_F32",
                            [](auto q, auto d, auto n) { return div_fixup(q, d, n); }),
    def<f64(f64, f64, f64)>("V_DIV_FIXUP_F64",
                            [](auto q, auto d, auto n) { return div_fixup(q, d, n); }),
    def<f16(f16, f16, f16)>("V_DIV_FIXUP_F16",
                            [](auto q, auto d, auto n) { return div_fixup(q, d, n); }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
