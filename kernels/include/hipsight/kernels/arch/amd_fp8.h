// For the GPUs that compute in 8 bits: gfx942 in its own format, gfx950 and gfx12 in OCP's.
#pragma once

#include "../fp8.h"

namespace hipsight::kernels::arch {

template <class Value>
inline constexpr bool native_fp8 = false;
#if defined(__gfx942__)
template <>
inline constexpr bool native_fp8<fp8_e4m3_fnuz> = true;
#else
template <>
inline constexpr bool native_fp8<fp8_e4m3> = true;
#endif

/// Four values, the first one lowest. The instruction makes a NaN of what is too large.
template <class Value>
HIPSIGHT_INLINE std::uint32_t to_fp8(const Vector<float, 4>& values) {
  float in_range[4];
  HIPSIGHT_UNROLL
  for (int i = 0; i < 4; i++) {
    const float cut = __builtin_amdgcn_fmed3f(values[i], -Value::largest, Value::largest);
    in_range[i] = values[i] == values[i] ? cut : values[i];
  }
  const int low = __builtin_amdgcn_cvt_pk_fp8_f32(in_range[0], in_range[1], 0, false);
  return __builtin_amdgcn_cvt_pk_fp8_f32(in_range[2], in_range[3], low, true);
}

template <class Value>
HIPSIGHT_INLINE Vector<float, 4> from_fp8(std::uint32_t values) {
  const int bits = static_cast<int>(values);
  const auto low = __builtin_amdgcn_cvt_pk_f32_fp8(bits, false),
             high = __builtin_amdgcn_cvt_pk_f32_fp8(bits, true);
  return {low[0], low[1], high[0], high[1]};
}

}  // namespace hipsight::kernels::arch
