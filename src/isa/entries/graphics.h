#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

inline constexpr Entries graphics_entries{
    def<f32(f32, f32, f32)>("V_CUBEID_F32",
                            [](auto x, auto y, auto z) { return cube_face(x, y, z); }),
    def<f32(f32, f32, f32)>("V_CUBESC_F32", [](auto x, auto y, auto z) { return cube_s(x, y, z); }),
    def<f32(f32, f32, f32)>("V_CUBETC_F32", [](auto x, auto y, auto z) { return cube_t(x, y, z); }),
    def<f32(f32, f32, f32)>("V_CUBEMA_F32",
                            [](auto x, auto y, auto z) { return cube_axis(x, y, z); }),
    def<f64(f64, u32)>("V_TRIG_PREOP_F64",
                       [](auto angle, auto segment) { return two_over_pi(angle, segment); }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
