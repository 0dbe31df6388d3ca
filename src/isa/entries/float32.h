#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_LEVEL {

inline constexpr std::tuple float32_entries{
    def<f32(f32, f32)>("V_ADD_F32", [](auto a, auto b) { return add(a, b); }),
    def<f32(f32, f32)>("V_SUB_F32", [](auto a, auto b) { return sub(a, b); }),
    def<f32(f32, f32)>("V_SUBREV_F32", [](auto a, auto b) { return sub(b, a); }),
    def<f32(f32, f32)>("V_MUL_F32", [](auto a, auto b) { return mul(a, b); }),
    def<f32(f32, f32, f32)>("V_FMA_F32", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    def<f32(f32, f32, old<f32>)>("V_FMAC_F32", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    packed<f32(f32, f32, f32)>("V_PK_FMA_F32", [](auto a, auto b, auto c) { return fma(a, b, c); }),
    packed<f32(f32, f32)>("V_PK_MUL_F32", [](auto a, auto b) { return mul(a, b); }),
    packed<f32(f32, f32)>("V_PK_ADD_F32", [](auto a, auto b) { return add(a, b); }),
    def<f32(f32, f32)>("V_MIN_F32", [](auto a, auto b) { return min(a, b); }),
    def<f32(f32, f32)>("V_MAX_F32", [](auto a, auto b) { return max(a, b); }),
};

}  // namespace hipsight::isa::HIPSIGHT_LEVEL
