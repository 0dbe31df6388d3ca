#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

/// Float to integer cuts toward zero and saturates; NaN gives 0.
inline constexpr Entries conversion_entries{
    def<f32(i32)>("V_CVT_F32_I32", [](auto a) { return to_float<f32>(a); }),
    def<f32(u32)>("V_CVT_F32_U32", [](auto a) { return to_float<f32>(a); }),
    def<i32(f32)>("V_CVT_I32_F32", [](auto a) { return to_integer<i32>(a); }),
    def<u32(f32)>("V_CVT_U32_F32", [](auto a) { return to_integer<u32>(a); }),
    def<f32(f16)>("V_CVT_F32_F16", [](auto a) { return to_float<f32>(a); }),
    def<f16(f32)>("V_CVT_F16_F32", [](auto a) { return to_float<f16>(a); }),
    def<f32(f64)>("V_CVT_F32_F64", [](auto a) { return to_float<f32>(a); }),
    def<f64(f32)>("V_CVT_F64_F32", [](auto a) { return to_float<f64>(a); }),
    def<f64(i32)>("V_CVT_F64_I32", [](auto a) { return to_float<f64>(a); }),
    def<f64(u32)>("V_CVT_F64_U32", [](auto a) { return to_float<f64>(a); }),
    def<i32(f64)>("V_CVT_I32_F64", [](auto a) { return to_integer<i32>(a); }),
    def<u32(f64)>("V_CVT_U32_F64", [](auto a) { return to_integer<u32>(a); }),
    def<f16(u16)>("V_CVT_F16_U16", [](auto a) { return to_float<f16>(a); }),
    def<f16(i16)>("V_CVT_F16_I16", [](auto a) { return to_float<f16>(a); }),
    def<u16(f16)>("V_CVT_U16_F16", [](auto a) { return to_integer<u16>(a); }),
    def<i16(f16)>("V_CVT_I16_F16", [](auto a) { return to_integer<i16>(a); }),

    def<f32(u32)>("V_CVT_F32_UBYTE0", [](auto a) { return to_float<f32>(to<i32>(a & 255)); }),
    def<f32(u32)>("V_CVT_F32_UBYTE1",
                  [](auto a) { return to_float<f32>(to<i32>((a >> 8) & 255)); }),
    def<f32(u32)>("V_CVT_F32_UBYTE2",
                  [](auto a) { return to_float<f32>(to<i32>((a >> 16) & 255)); }),
    def<f32(u32)>("V_CVT_F32_UBYTE3", [](auto a) { return to_float<f32>(to<i32>(a >> 24)); }),
    // A signed sixteenth.
    def<f32(u32)>("V_CVT_OFF_F32_I4",
                  [](auto a) { return mul(to_float<f32>(as<i32>(a << 28) >> 28), 0.0625f); }),
    def<i32(f32)>("V_CVT_RPI_I32_F32", [](auto a) { return to_integer<i32>(floor(add(a, 0.5f))); }),
    def<i32(f32)>("V_CVT_FLR_I32_F32", [](auto a) { return to_integer<i32>(floor(a)); }),

    def<u32(f32, f32)>(
        "V_CVT_PKRTZ_F16_F32",
        [](auto a, auto b) { return pack(to_half_toward_zero(a), to_half_toward_zero(b)); }),
    def<u32(f32, f32)>("V_CVT_PKNORM_I16_F32",
                       [](auto a, auto b) { return pack(to_snorm16(a), to_snorm16(b)); }),
    def<u32(f32, f32)>("V_CVT_PKNORM_U16_F32",
                       [](auto a, auto b) { return pack(to_unorm16(a), to_unorm16(b)); }),
    def<u32(f16, f16)>("V_CVT_PKNORM_I16_F16",
                       [](auto a, auto b) { return pack(to_snorm16(a), to_snorm16(b)); }),
    def<u32(f16, f16)>("V_CVT_PKNORM_U16_F16",
                       [](auto a, auto b) { return pack(to_unorm16(a), to_unorm16(b)); }),
    def<i16(f16)>("V_CVT_NORM_I16_F16", [](auto a) { return to_snorm16(a); }),
    def<u16(f16)>("V_CVT_NORM_U16_F16", [](auto a) { return to_unorm16(a); }),
    def<u32(f32, f32)>("V_CVT_PK_I16_F32",
                       [](auto a, auto b) { return pack(to_integer<i16>(a), to_integer<i16>(b)); }),
    def<u32(f32, f32)>("V_CVT_PK_U16_F32",
                       [](auto a, auto b) { return pack(to_integer<u16>(a), to_integer<u16>(b)); }),
    // The byte that the second operand names, in the third or in the old value.
    def<u32(f32, u32, u32)>(
        "V_CVT_PK_U8_F32",
        [](auto a, auto at, auto rest) { return with_byte(rest, at, to_byte(a)); }),
    def<u32(f32, u32, old<u32>)>(
        "V_CVT_PKACCUM_U8_F32",
        [](auto a, auto at, auto rest) { return with_byte(rest, at, to_byte(a)); }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
