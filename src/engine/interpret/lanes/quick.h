#pragma once
// The common case of floating point: nobody has a NaN. Quick lanes skip the NaN rule; who uses them
// looks at the results once, and does it again with plain lanes when there is a NaN.

#include "engine/interpret/lanes/floats.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

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
  return Lanes<T, N>(rounded_product(a.v * b.v));
}
#ifdef __FMA__
template <class T, int N>
  requires(!std::is_same_v<T, isa::f16>)
inline Quick<T, N> fma(Quick<T, N> a, Quick<T, N> b, Quick<T, N> c) {
  return Lanes<T, N>(__builtin_elementwise_fma(a.v, b.v, c.v));
}
#endif

/// Whether any of sixteen floats is a NaN: LLVM makes one comparison of each pair of these.
inline bool has_nan(Vec<float, 16> v) {
  const auto bad = (v.lo != v.lo) | (v.hi != v.hi);
  return __builtin_reduce_or(bad) != 0;
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
