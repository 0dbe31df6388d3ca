#pragma once

#include "isa/entries/float_compare.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

/// Floating point on scalar registers (GFX11.5 and GFX12). S_MIN and S_MAX are GFX12's
/// s_min_num and s_max_num.
inline constexpr Entries scalar_float_entries{
    scalar<f32(f32, f32)>("S_ADD_F32", [](auto a, auto b) { return add(a, b); }),
    scalar<f32(f32, f32)>("S_SUB_F32", [](auto a, auto b) { return sub(a, b); }),
    scalar<f32(f32, f32)>("S_MUL_F32", [](auto a, auto b) { return mul(a, b); }),
    scalar<f32(f32, f32)>("S_MIN_F32", [](auto a, auto b) { return min_number(a, b); }),
    scalar<f32(f32, f32)>("S_MAX_F32", [](auto a, auto b) { return max_number(a, b); }),
    scalar<f32(f32, f32)>("S_MINIMUM_F32", [](auto a, auto b) { return minimum(a, b); }),
    scalar<f32(f32, f32)>("S_MAXIMUM_F32", [](auto a, auto b) { return maximum(a, b); }),
    scalar<f32(f32, f32, old<f32>)>("S_FMAC_F32",
                                    [](auto a, auto b, auto c) { return fma(a, b, c); }),
    scalar<f32(f32, f32, f32)>("S_FMAMK_F32", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    scalar<f32(f32, f32, f32)>("S_FMAAK_F32", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    scalar<f32(f32)>("S_CEIL_F32", [](auto a) { return ceil(a); }),
    scalar<f32(f32)>("S_FLOOR_F32", [](auto a) { return floor(a); }),
    scalar<f32(f32)>("S_TRUNC_F32", [](auto a) { return trunc(a); }),
    scalar<f32(f32)>("S_RNDNE_F32", [](auto a) { return round_even(a); }),

    scalar<f16(f16, f16)>("S_ADD_F16", [](auto a, auto b) { return add(a, b); }),
    scalar<f16(f16, f16)>("S_SUB_F16", [](auto a, auto b) { return sub(a, b); }),
    scalar<f16(f16, f16)>("S_MUL_F16", [](auto a, auto b) { return mul(a, b); }),
    scalar<f16(f16, f16)>("S_MIN_F16", [](auto a, auto b) { return min_number(a, b); }),
    scalar<f16(f16, f16)>("S_MAX_F16", [](auto a, auto b) { return max_number(a, b); }),
    scalar<f16(f16, f16)>("S_MINIMUM_F16", [](auto a, auto b) { return minimum(a, b); }),
    scalar<f16(f16, f16)>("S_MAXIMUM_F16", [](auto a, auto b) { return maximum(a, b); }),
    scalar<f16(f16, f16, old<f16>)>("S_FMAC_F16",
                                    [](auto a, auto b, auto c) { return fma(a, b, c); }),
    scalar<f16(f16)>("S_CEIL_F16", [](auto a) { return ceil(a); }),
    scalar<f16(f16)>("S_FLOOR_F16", [](auto a) { return floor(a); }),
    scalar<f16(f16)>("S_TRUNC_F16", [](auto a) { return trunc(a); }),
    scalar<f16(f16)>("S_RNDNE_F16", [](auto a) { return round_even(a); }),

    scalar<f32(i32)>("S_CVT_F32_I32", [](auto a) { return to_float<f32>(a); }),
    scalar<f32(u32)>("S_CVT_F32_U32", [](auto a) { return to_float<f32>(a); }),
    scalar<i32(f32)>("S_CVT_I32_F32", [](auto a) { return to_integer<i32>(a); }),
    scalar<u32(f32)>("S_CVT_U32_F32", [](auto a) { return to_integer<u32>(a); }),
    scalar<f16(f32)>("S_CVT_F16_F32", [](auto a) { return to_float<f16>(a); }),
    scalar<f32(f16)>("S_CVT_F32_F16", [](auto a) { return to_float<f32>(a); }),
    scalar<f32(u32)>("S_CVT_HI_F32_F16", [](auto a) { return to_float<f32>(high<f16>(a)); }),
    scalar<u32(f32, f32)>(
        "S_CVT_PK_RTZ_F16_F32",
        [](auto a, auto b) { return pack(to_half_toward_zero(a), to_half_toward_zero(b)); }),
};

#define HIPSIGHT_SCALAR_PREDICATE(NAME, MEANING)                      \
  scalar<b1(f32, f32)>("S_CMP_" NAME "_F32", float_compare::MEANING), \
      scalar<b1(f16, f16)>("S_CMP_" NAME "_F16", float_compare::MEANING)
inline constexpr Entries scalar_float_compare_entries{
    HIPSIGHT_SCALAR_PREDICATE("LT", less),
    HIPSIGHT_SCALAR_PREDICATE("EQ", equal),
    HIPSIGHT_SCALAR_PREDICATE("LE", less_or_equal),
    HIPSIGHT_SCALAR_PREDICATE("GT", greater),
    HIPSIGHT_SCALAR_PREDICATE("LG", less_or_greater),
    HIPSIGHT_SCALAR_PREDICATE("GE", greater_or_equal),
    HIPSIGHT_SCALAR_PREDICATE("O", ordered),
    HIPSIGHT_SCALAR_PREDICATE("U", unordered),
    HIPSIGHT_SCALAR_PREDICATE("NGE", not_greater_or_equal),
    HIPSIGHT_SCALAR_PREDICATE("NLG", not_less_or_greater),
    HIPSIGHT_SCALAR_PREDICATE("NGT", not_greater),
    HIPSIGHT_SCALAR_PREDICATE("NLE", not_less_or_equal),
    HIPSIGHT_SCALAR_PREDICATE("NEQ", not_equal),
    HIPSIGHT_SCALAR_PREDICATE("NLT", not_less),
};
#undef HIPSIGHT_SCALAR_PREDICATE

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
