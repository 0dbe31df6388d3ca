#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

inline constexpr Entries transcendental_entries{
    def<f32(f32)>("V_EXP_F32", [](auto a) { return exp2(a); }),
    def<f32(f32)>("V_LOG_F32", [](auto a) { return log2(a); }),
    def<f32(f32)>("V_RCP_F32", [](auto a) { return reciprocal(a); }),
    def<f32(f32)>("V_RCP_IFLAG_F32", [](auto a) { return reciprocal(a); }),
    def<f32(f32)>("V_RSQ_F32", [](auto a) { return reciprocal_root(a); }),
    def<f32(f32)>("V_SQRT_F32", [](auto a) { return square_root(a); }),
    // Of revolutions: sin(2 pi x).
    def<f32(f32)>("V_SIN_F32", [](auto a) { return sine(a); }),
    def<f32(f32)>("V_COS_F32", [](auto a) { return cosine(a); }),

    def<f16(f16)>("V_EXP_F16", [](auto a) { return exp2(a); }),
    def<f16(f16)>("V_LOG_F16", [](auto a) { return log2(a); }),
    def<f16(f16)>("V_RCP_F16", [](auto a) { return reciprocal(a); }),
    def<f16(f16)>("V_RSQ_F16", [](auto a) { return reciprocal_root(a); }),
    def<f16(f16)>("V_SQRT_F16", [](auto a) { return square_root(a); }),
    def<f16(f16)>("V_SIN_F16", [](auto a) { return sine(a); }),
    def<f16(f16)>("V_COS_F16", [](auto a) { return cosine(a); }),

    def<f64(f64)>("V_RCP_F64", [](auto a) { return reciprocal(a); }),
    def<f64(f64)>("V_RSQ_F64", [](auto a) { return reciprocal_root(a); }),
    def<f64(f64)>("V_SQRT_F64", [](auto a) { return square_root(a); }),

    // GFX12's pseudo-scalar forms: the vector unit on one scalar register, with its modifiers.
    scalar<f32(f32, u32)>("V_S_EXP_F32",
                          [](auto a, auto m) { return finished(exp2(modified(a, m)), m); }),
    scalar<f32(f32, u32)>("V_S_LOG_F32",
                          [](auto a, auto m) { return finished(log2(modified(a, m)), m); }),
    scalar<f32(f32, u32)>("V_S_RCP_F32",
                          [](auto a, auto m) { return finished(reciprocal(modified(a, m)), m); }),
    scalar<f32(f32, u32)>(
        "V_S_RSQ_F32", [](auto a, auto m) { return finished(reciprocal_root(modified(a, m)), m); }),
    scalar<f32(f32, u32)>("V_S_SQRT_F32",
                          [](auto a, auto m) { return finished(square_root(modified(a, m)), m); }),
    scalar<f16(f16, u32)>("V_S_EXP_F16",
                          [](auto a, auto m) { return finished(exp2(modified(a, m)), m); }),
    scalar<f16(f16, u32)>("V_S_LOG_F16",
                          [](auto a, auto m) { return finished(log2(modified(a, m)), m); }),
    scalar<f16(f16, u32)>("V_S_RCP_F16",
                          [](auto a, auto m) { return finished(reciprocal(modified(a, m)), m); }),
    scalar<f16(f16, u32)>(
        "V_S_RSQ_F16", [](auto a, auto m) { return finished(reciprocal_root(modified(a, m)), m); }),
    scalar<f16(f16, u32)>("V_S_SQRT_F16",
                          [](auto a, auto m) { return finished(square_root(modified(a, m)), m); }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
