#pragma once
// Integer primitives beyond the operators.

#include <limits>

#include "engine/interpret/lanes/lanes.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

template <class T>
inline constexpr auto lowest =
    std::is_same_v<T, isa::i16> ? static_cast<typename Host<T>::type>(-32768)
                                : std::numeric_limits<typename Host<T>::type>::min();
template <class T>
inline constexpr auto highest =
    std::is_same_v<T, isa::i16>   ? static_cast<typename Host<T>::type>(32767)
    : std::is_same_v<T, isa::u16> ? static_cast<typename Host<T>::type>(65535)
                                  : std::numeric_limits<typename Host<T>::type>::max();

template <class T, int N, class I>
  requires(is_integer<T> && std::is_integral_v<I>)
inline Lanes<T, N> min(Lanes<T, N> a, I b) {
  return min(a, Lanes<T, N>(static_cast<typename Host<T>::type>(b)));
}
template <class T, int N, class I>
  requires(is_integer<T> && std::is_integral_v<I>)
inline Lanes<T, N> max(Lanes<T, N> a, I b) {
  return max(a, Lanes<T, N>(static_cast<typename Host<T>::type>(b)));
}

/// The nearest value of type To.
template <class To, class From, int N>
  requires(is_integer<To> && is_integer<From>)
inline Lanes<To, N> saturate(Lanes<From, N> a) {
  using E = typename Host<From>::type;
  if constexpr (std::is_signed_v<E>) a = max(a, Lanes<From, N>(static_cast<E>(lowest<To>)));
  return to<To>(min(a, Lanes<From, N>(static_cast<E>(highest<To>))));
}

template <class T, int N>
inline Lanes<T, N> add_saturate(Lanes<T, N> a, Lanes<T, N> b) {
  if constexpr (isa::is_16_bit(isa::type_of<T>)) return saturate<T>(a + b);
  return Lanes<T, N>(__builtin_elementwise_add_sat(a.v, b.v));
}
template <class T, int N>
inline Lanes<T, N> sub_saturate(Lanes<T, N> a, Lanes<T, N> b) {
  if constexpr (std::is_same_v<T, isa::i16>) return saturate<T>(a - b);
  // Sixteen-bit unsigned values are far from the ends of their 32 bits, so this serves them too.
  return Lanes<T, N>(__builtin_elementwise_sub_sat(a.v, b.v));
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
