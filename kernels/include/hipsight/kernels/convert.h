// Conversions of vectors from and to f32, with the instructions that the GPU has for them.
#pragma once

#include <cmath>
#include <type_traits>

#include "arch/current.h"

namespace hipsight::kernels {

/// Exact.
template <class T, int N>
HIPSIGHT_INLINE Vector<float, N> to_f32(const Vector<T, N>& values) {
  Vector<float, N> result;
  if constexpr (arch::native_fp8<T> && N % 4 == 0) {
    const auto words = __builtin_bit_cast(Vector<std::uint32_t, N / 4>, values);
    HIPSIGHT_UNROLL
    for (int i = 0; i < N; i += 4) {
      const Vector<float, 4> four = arch::from_fp8<T>(words[i / 4]);
      HIPSIGHT_UNROLL
      for (int k = 0; k < 4; k++) result[i + k] = four[k];
    }
  } else {
    HIPSIGHT_UNROLL
    for (int i = 0; i < N; i++) result[i] = static_cast<float>(values[i]);
  }
  return result;
}

/// 8 bits in 16, or nothing to do; exact.
template <class T, class From, int N>
HIPSIGHT_INLINE Vector<T, N> widen(const Vector<From, N>& values) {
  if constexpr (std::is_same_v<T, From>) {
    return values;
  } else {
    static_assert(is_fp8<From> && sizeof(T) == 2, "widen: only from fp8 to 16 bits");
    const Vector<float, N> wide = to_f32<From, N>(values);
    Vector<std::uint32_t, N / 2> pairs;
    HIPSIGHT_UNROLL
    for (int i = 0; i < N; i += 2)
      pairs[i / 2] = arch::cut<T>(Vector<float, 2>{wide[i], wide[i + 1]});
    return __builtin_bit_cast(Vector<T, N>, pairs);
  }
}

/// To the nearest, of two the even one. 8-bit types saturate; a NaN is 0 in int8.
template <class T>
HIPSIGHT_INLINE T narrow(float value) {
  if constexpr (std::is_same_v<T, std::int8_t>) {
    const float number = value == value ? value : 0;
    return static_cast<std::int8_t>(rintf(fminf(fmaxf(number, -128), 127)));
  } else {
    return static_cast<T>(value);
  }
}

template <class T, int N>
HIPSIGHT_INLINE Vector<T, N> from_f32(const Vector<float, N>& values) {
  if constexpr (arch::native_fp8<T> && N % 4 == 0) {
    Vector<std::uint32_t, N / 4> words;
    HIPSIGHT_UNROLL
    for (int i = 0; i < N; i += 4) {
      const Vector<float, 4> four = {values[i], values[i + 1], values[i + 2], values[i + 3]};
      words[i / 4] = arch::to_fp8<T>(four);
    }
    return __builtin_bit_cast(Vector<T, N>, words);
  } else {
    Vector<T, N> result;
    HIPSIGHT_UNROLL
    for (int i = 0; i < N; i++) result[i] = narrow<T>(values[i]);
    return result;
  }
}

}  // namespace hipsight::kernels
