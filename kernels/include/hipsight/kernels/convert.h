// Conversions of vectors from and to f32, with the instructions that the GPU has for them.
#pragma once

#include <cmath>
#include <type_traits>

#include "arch/current.h"

namespace hipsight::kernels {

/// Exact.
template <class Value, int Count>
HIPSIGHT_INLINE Vector<float, Count> to_f32(const Vector<Value, Count>& values) {
  Vector<float, Count> result;
  if constexpr (arch::native_fp8<Value> && Count % 4 == 0) {
    const auto words = __builtin_bit_cast(Vector<std::uint32_t, Count / 4>, values);
    HIPSIGHT_UNROLL
    for (int i = 0; i < Count; i += 4) {
      const Vector<float, 4> four = arch::from_fp8<Value>(words[i / 4]);
      HIPSIGHT_UNROLL
      for (int k = 0; k < 4; k++) result[i + k] = four[k];
    }
  } else {
    HIPSIGHT_UNROLL
    for (int i = 0; i < Count; i++) result[i] = static_cast<float>(values[i]);
  }
  return result;
}

/// What the matrix unit multiplies where Value is stored: f16, which holds them all, if it does not
/// take Value's 8 bits.
template <class Value>
using Multiplied = std::conditional_t<is_fp8<Value> && !arch::native_fp8<Value>, f16, Value>;

/// Two values of 8 bits, the low 16 of `values`, in f16; exact. The bits where f16 has them, and
/// the difference of the biases as a factor; both at once, by instructions for 32 bits.
template <bool fnuz>
HIPSIGHT_INLINE std::uint32_t halves_of(std::uint32_t values) {
  const std::uint32_t places = (values & 0xff) << 8 | (values & 0xff00) << 16;
  const std::uint32_t magnitudes = places >> 1 & 0x3f803f80, signs = places & 0x80008000;
  // Bit 14 of those that are no number: the largest of OCP's, the negative zero of the others.
  const std::uint32_t none =
      fnuz ? (signs & ~(magnitudes + 0x7fff7fff)) >> 1 : (magnitudes + 0x00800080) & 0x40004000;
  auto halves = __builtin_bit_cast(Vector<f16, 2>, magnitudes | signs);
  constexpr float scale = 1 << (15 - Float8<fnuz>::bias);
  HIPSIGHT_UNROLL
  for (int i = 0; i < 2; i++) halves[i] = halves[i] * static_cast<f16>(scale);
  return __builtin_bit_cast(std::uint32_t, halves) | none | (none - (none >> 5));
}

/// 8 bits in 16, or nothing to do; exact. Types of fewer bits say how themselves
/// (int4_gemm/codes.h).
template <class Value, class From, int Count>
HIPSIGHT_INLINE Vector<Value, Count> widen(const Vector<From, Count>& values) {
  if constexpr (std::is_same_v<Value, From>) {
    return values;
  } else if constexpr (requires { values.template widened<Value>(); }) {
    return values.template widened<Value>();
  } else {
    static_assert(is_fp8<From> && sizeof(Value) == 2, "widen: only from fp8 to 16 bits");
    Vector<std::uint32_t, Count / 2> pairs;
    if constexpr (arch::native_fp8<From>) {
      const Vector<float, Count> wide = to_f32<From, Count>(values);
      HIPSIGHT_UNROLL
      for (int i = 0; i < Count; i += 2)
        pairs[i / 2] = arch::cut<Value>(Vector<float, 2>{wide[i], wide[i + 1]});
    } else {
      const auto words = __builtin_bit_cast(Vector<std::uint32_t, Count / 4>, values);
      HIPSIGHT_UNROLL
      for (int i = 0; i < Count / 2; i++) {
        const std::uint32_t pair = halves_of<From::bias == 8>(words[i / 2] >> 16 * (i % 2));
        if constexpr (std::is_same_v<Value, f16>) {
          pairs[i] = pair;
        } else {
          const auto halves = __builtin_bit_cast(Vector<f16, 2>, pair);
          pairs[i] = arch::cut<Value>(
              Vector<float, 2>{static_cast<float>(halves[0]), static_cast<float>(halves[1])});
        }
      }
    }
    return __builtin_bit_cast(Vector<Value, Count>, pairs);
  }
}

/// To the nearest, of two the even one. 8-bit types saturate; a NaN is 0 in int8.
template <class Value>
HIPSIGHT_INLINE Value narrow(float value) {
  if constexpr (std::is_same_v<Value, std::int8_t>) {
    const float number = value == value ? value : 0;
    return static_cast<std::int8_t>(rintf(fminf(fmaxf(number, -128), 127)));
  } else {
    return static_cast<Value>(value);
  }
}

template <class Value, int Count>
HIPSIGHT_INLINE Vector<Value, Count> from_f32(const Vector<float, Count>& values) {
  if constexpr (arch::native_fp8<Value> && Count % 4 == 0) {
    Vector<std::uint32_t, Count / 4> words;
    HIPSIGHT_UNROLL
    for (int i = 0; i < Count; i += 4) {
      const Vector<float, 4> four = {values[i], values[i + 1], values[i + 2], values[i + 3]};
      words[i / 4] = arch::to_fp8<Value>(four);
    }
    return __builtin_bit_cast(Vector<Value, Count>, words);
  } else if constexpr (sizeof(Value) == 2 && Count % 2 == 0) {
    Vector<std::uint32_t, Count / 2> pairs;
    HIPSIGHT_UNROLL
    for (int i = 0; i < Count; i += 2)
      pairs[i / 2] = arch::rounded<Value>(Vector<float, 2>{values[i], values[i + 1]});
    return __builtin_bit_cast(Vector<Value, Count>, pairs);
  } else {
    Vector<Value, Count> result;
    HIPSIGHT_UNROLL
    for (int i = 0; i < Count; i++) result[i] = narrow<Value>(values[i]);
    return result;
  }
}

/// Of values that Value has: there is nothing to round.
template <class Value, int Count>
HIPSIGHT_INLINE Vector<Value, Count> from_exact(const Vector<float, Count>& values) {
  if constexpr (sizeof(Value) == 2 && Count % 2 == 0) {
    Vector<std::uint32_t, Count / 2> pairs;
    HIPSIGHT_UNROLL
    for (int i = 0; i < Count; i += 2)
      pairs[i / 2] = arch::cut<Value>(Vector<float, 2>{values[i], values[i + 1]});
    return __builtin_bit_cast(Vector<Value, Count>, pairs);
  } else {
    return from_f32<Value, Count>(values);
  }
}

}  // namespace hipsight::kernels
