// Floating point in 8 bits: a sign, 4 bits of exponent, 3 of mantissa.
#pragma once

#include "types.h"

namespace hipsight::kernels {

/// The two formats that GPUs compute in. Conversions from f32 round to nearest even and saturate:
/// what is larger becomes the largest, infinities too; not a number stays so.
template <bool fnuz>
struct Float8 {
  std::uint8_t bits;

  static constexpr int bias = fnuz ? 8 : 7;
  static constexpr float largest = fnuz ? 240 : 448;
  static constexpr std::uint8_t not_a_number = fnuz ? 0x80 : 0x7f;  // OCP's: of either sign

  Float8() = default;

  HIPSIGHT_INLINE static constexpr Float8 of_bits(std::uint8_t bits) {
    Float8 result;
    result.bits = bits;
    return result;
  }

  /// Exact: the bits where f32 has them, and the difference of the biases as a factor.
  HIPSIGHT_INLINE explicit constexpr operator float() const {
    if (fnuz ? bits == not_a_number : (bits & 0x7f) == not_a_number)
      return __builtin_bit_cast(float, 0x7fc00000u);
    const auto magnitude = static_cast<std::uint32_t>(bits & 0x7f) << 20;
    const auto scale =
        __builtin_bit_cast(float, static_cast<std::uint32_t>(127 + 127 - bias) << 23);
    const float value = __builtin_bit_cast(float, magnitude) * scale;
    return bits & 0x80 ? -value : value;
  }

  HIPSIGHT_INLINE explicit constexpr Float8(float value) : bits{0} {
    const auto all = __builtin_bit_cast(std::uint32_t, value);
    const std::uint32_t magnitude = all & 0x7fffffff;
    if (magnitude > 0x7f800000) {
      bits = not_a_number;
      return;
    }
    const float size = __builtin_bit_cast(float, magnitude);
    std::uint32_t code;
    if (size >= largest) {
      code = fnuz ? 0x7f : 0x7e;
    } else if (magnitude < static_cast<std::uint32_t>(128 - bias) << 23) {
      // Denormal: added to a number whose last bit is the least of this format.
      const auto large = static_cast<std::uint32_t>(127 + 23 - 3 + 1 - bias) << 23;
      code = __builtin_bit_cast(std::uint32_t, size + __builtin_bit_cast(float, large)) - large;
    } else {
      const std::uint32_t rounded = magnitude + 0x7ffff + (magnitude >> 20 & 1);
      code = (rounded >> 20) - ((127 - bias) << 3);
    }
    const bool negative = all >> 31 && !(fnuz && code == 0);  // fnuz has no -0
    bits = static_cast<std::uint8_t>(code | (negative ? 0x80 : 0));
  }
};

/// Of the Open Compute Project: up to 448, two NaNs. Native to gfx950 and gfx12 (and NVIDIA).
/// Source: OCP 8-bit Floating Point Specification (OFP8).
using fp8_e4m3 = Float8<false>;

/// "Finite, NaN, unsigned zero": up to 240, one NaN, no -0. Native to gfx942. Source: arXiv
/// 2206.02915.
using fp8_e4m3_fnuz = Float8<true>;

template <class Value>
inline constexpr bool is_fp8 = false;
template <bool fnuz>
inline constexpr bool is_fp8<Float8<fnuz>> = true;

}  // namespace hipsight::kernels
