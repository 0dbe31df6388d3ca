// For GPUs that do not compute in 8 bits: conversions are made of other instructions (fp8.h).
#pragma once

#include "../fp8.h"

namespace hipsight::kernels::arch {

template <class Value>
inline constexpr bool native_fp8 = false;

template <class Value>
HIPSIGHT_INLINE std::uint32_t to_fp8(const Vector<float, 4>&) {
  static_assert(sizeof(Value) == 0, "to_fp8: this GPU does not have the format");
  return 0;
}

template <class Value>
HIPSIGHT_INLINE Vector<float, 4> from_fp8(std::uint32_t) {
  static_assert(sizeof(Value) == 0, "from_fp8: this GPU does not have the format");
  return {};
}

}  // namespace hipsight::kernels::arch
