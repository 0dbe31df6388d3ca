#pragma once
// The common case of floating point: nobody has a NaN. Quick lanes skip the NaN rule; who uses them
// looks at the results once, and does it again with plain lanes when there is a NaN.

#include <immintrin.h>

#include <array>

#include "engine/level/floats.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

template <class T, int N>
struct Quick : Lanes<T, N> {
  using Lanes<T, N>::Lanes;
  explicit(false) Quick(Lanes<T, N> a) : Lanes<T, N>(a) {}
};

template <class T, int N>
inline Quick<T, N> add(Quick<T, N> a, Quick<T, N> b) {
  return Lanes<T, N>(a.v + b.v);
}
template <class T, int N>
inline Quick<T, N> sub(Quick<T, N> a, Quick<T, N> b) {
  return Lanes<T, N>(a.v - b.v);
}
template <class T, int N>
inline Quick<T, N> mul(Quick<T, N> a, Quick<T, N> b) {
  return Lanes<T, N>(a.v * b.v);
}
#ifdef __FMA__
template <class T, int N>
  requires(!std::is_same_v<T, isa::f16>)
inline Quick<T, N> fma(Quick<T, N> a, Quick<T, N> b, Quick<T, N> c) {
  return Lanes<T, N>(__builtin_elementwise_fma(a.v, b.v, c.v));
}
#endif

/// Whether any of sixteen floats is a NaN, in few instructions.
inline bool has_nan(Vec<float, 16> v) {
#if defined __AVX512F__
  const auto all = std::bit_cast<__m512>(v);
  return _mm512_cmp_ps_mask(all, all, _CMP_UNORD_Q) != 0;
#elif defined __AVX__
  const auto halves = std::bit_cast<std::array<__m256, 2> >(v);
  return _mm256_movemask_ps(_mm256_cmp_ps(halves[0], halves[1], _CMP_UNORD_Q)) != 0;
#else
  const auto parts = std::bit_cast<std::array<__m128, 4> >(v);
  return _mm_movemask_ps(_mm_or_ps(_mm_cmpunord_ps(parts[0], parts[1]),
                                   _mm_cmpunord_ps(parts[2], parts[3]))) != 0;
#endif
}

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
