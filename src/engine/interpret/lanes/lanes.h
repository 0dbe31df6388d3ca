#pragma once
// Lanes of a value on the host: sixteen of a vector register, or the one of a scalar register.
// Compiled once per host instruction set; everything is in the namespace of that set.

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "isa/types.h"

#ifndef HIPSIGHT_HOST_ISA
#error "compile with -DHIPSIGHT_HOST_ISA=name"
#endif

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

template <class T, int N>
using Vec = T __attribute__((ext_vector_type(N)));

/// Host element that holds a lane of a type: 16-bit types live widened in 32 bits.
template <class Tag>
struct Host;
template <>
struct Host<isa::f64> {
  using type = double;
};
template <>
struct Host<isa::f32> {
  using type = float;
};
template <>
struct Host<isa::f16> {
  using type = float;
};
template <>
struct Host<isa::bf16> {
  using type = float;
};
template <>
struct Host<isa::i64> {
  using type = std::int64_t;
};
template <>
struct Host<isa::u64> {
  using type = std::uint64_t;
};
template <>
struct Host<isa::i32> {
  using type = std::int32_t;
};
template <>
struct Host<isa::u32> {
  using type = std::uint32_t;
};
template <>
struct Host<isa::i16> {
  using type = std::int32_t;
};
template <>
struct Host<isa::u16> {
  using type = std::uint32_t;
};
template <>
struct Host<isa::b1> {
  using type = std::int32_t;
};

/// N lanes of type T; Lanes<b1> holds -1 or 0. Integers have operators; floating point has
/// the named functions of floats.h, which follow the GPU's rules.
template <class T, int N>
struct Lanes {
  using Tag = T;
  static constexpr int count = N;
  using Element = typename Host<T>::type;
  using Vector = Vec<Element, N>;
  Vector v;
  Lanes() = default;
  Lanes(Vector v) : v(v) {}
  explicit(false) Lanes(Element one) : v(one) {}
};
template <int N>
using Mask = Lanes<isa::b1, N>;

template <class T>
inline constexpr bool is_integer =
    std::is_integral_v<typename Host<T>::type> && !std::is_same_v<T, isa::b1>;

/// The mask as -1/0 elements of the width of T.
template <class T, int N>
inline auto widen_mask(Mask<N> m) {
  if constexpr (sizeof(typename Host<T>::type) == 8)
    return __builtin_convertvector(m.v, Vec<std::int64_t, N>);
  else
    return m.v;
}
template <int N, class V>
inline Mask<N> mask_of(V comparison) {
  return __builtin_convertvector(comparison, Vec<std::int32_t, N>);
}
inline std::uint32_t bits_of(Mask<16> m) {
  return std::bit_cast<std::uint16_t>(__builtin_convertvector(m.v, Vec<bool, 16>));
}
inline std::uint32_t bits_of(Mask<1> m) {
  return m.v[0] & 1;
}
/// The mask whose lanes are the low bits.
template <int N>
inline Mask<N> mask_from_bits(std::uint32_t bits) {
  if constexpr (N == 1) {
    return Mask<1>(-static_cast<std::int32_t>(bits & 1));
  } else {
    const Vec<std::int32_t, 16> bit = {1,       2,       4,       8,      16,      32,
                                       64,      128,     1 << 8,  1 << 9, 1 << 10, 1 << 11,
                                       1 << 12, 1 << 13, 1 << 14, 1 << 15};
    return Mask<16>((Vec<std::int32_t, 16>(static_cast<std::int32_t>(bits)) & bit) == bit);
  }
}
#ifdef HIPSIGHT_TRANSLATED_LANES
/// Marks lanes that need more than the straight line of an instruction's usual case. Translated
/// code looks at all marks of a piece at once, and leaves the piece to the interpreter if any lane
/// is on.
#if HIPSIGHT_TRANSLATED_REGISTERS == 2  // in registers, not by way of memory
using RareHalf = Vec<std::int32_t, HIPSIGHT_TRANSLATED_LANES / 2>;
extern "C" void hipsight_rare(RareHalf low, RareHalf high) noexcept;
inline void mark_rare(Vec<std::int32_t, HIPSIGHT_TRANSLATED_LANES> lanes) {
  hipsight_rare(lanes.lo, lanes.hi);
}
#else
extern "C" void hipsight_rare(Vec<std::int32_t, HIPSIGHT_TRANSLATED_LANES> lanes) noexcept;
inline void mark_rare(Vec<std::int32_t, HIPSIGHT_TRANSLATED_LANES> lanes) {
  hipsight_rare(lanes);
}
#endif
#endif
/// Whether any lane is an unusual case, which is dealt with apart.
template <int N>
inline bool rare(Mask<N> m) {
#ifdef HIPSIGHT_TRANSLATED_LANES
  if constexpr (N == HIPSIGHT_TRANSLATED_LANES) {
    mark_rare(m.v);
    return false;
  } else
#endif
    return bits_of(m) != 0;
}

template <class T, int N>
  requires(!std::is_same_v<T, isa::b1>)
inline Lanes<T, N> select(Mask<N> m, Lanes<T, N> a, Lanes<T, N> b) {
  return Lanes<T, N>(widen_mask<T>(m) ? a.v : b.v);
}
template <class T, int N, class I>
  requires std::is_arithmetic_v<I>
inline Lanes<T, N> select(Mask<N> m, Lanes<T, N> a, I b) {
  return select(m, a, Lanes<T, N>(static_cast<typename Host<T>::type>(b)));
}
template <class T, int N, class I>
  requires std::is_arithmetic_v<I>
inline Lanes<T, N> select(Mask<N> m, I a, Lanes<T, N> b) {
  return select(m, Lanes<T, N>(static_cast<typename Host<T>::type>(a)), b);
}
template <int N>
inline Mask<N> select(Mask<N> m, Mask<N> a, Mask<N> b) {
  return Mask<N>(m.v ? a.v : b.v);
}
template <int N>
inline Mask<N> operator&(Mask<N> a, Mask<N> b) {
  return Mask<N>(a.v & b.v);
}
template <int N>
inline Mask<N> operator|(Mask<N> a, Mask<N> b) {
  return Mask<N>(a.v | b.v);
}
template <int N>
inline Mask<N> operator^(Mask<N> a, Mask<N> b) {
  return Mask<N>(a.v ^ b.v);
}
template <int N>
inline Mask<N> operator!(Mask<N> a) {
  return Mask<N>(~a.v);
}

// Integer arithmetic wraps. Shift counts must be below the width: entries mask them as the manual
// does.
#define HIPSIGHT_INTEGER_OPERATOR(OP)                                                 \
  template <class T, int N>                                                           \
    requires is_integer<T>                                                            \
  inline Lanes<T, N> operator OP(Lanes<T, N> a, Lanes<T, N> b) {                      \
    return Lanes<T, N>(a.v OP b.v);                                                   \
  }                                                                                   \
  template <class T, int N, class I>                                                  \
    requires(is_integer<T> && std::is_integral_v<I>)                                  \
  inline Lanes<T, N> operator OP(Lanes<T, N> a, I b) {                                \
    return Lanes<T, N>(a.v OP Lanes<T, N>(static_cast<typename Host<T>::type>(b)).v); \
  }                                                                                   \
  template <class T, int N, class I>                                                  \
    requires(is_integer<T> && std::is_integral_v<I>)                                  \
  inline Lanes<T, N> operator OP(I a, Lanes<T, N> b) {                                \
    return Lanes<T, N>(Lanes<T, N>(static_cast<typename Host<T>::type>(a)).v OP b.v); \
  }
HIPSIGHT_INTEGER_OPERATOR(+)
HIPSIGHT_INTEGER_OPERATOR(-)
HIPSIGHT_INTEGER_OPERATOR(*)
HIPSIGHT_INTEGER_OPERATOR(&)
HIPSIGHT_INTEGER_OPERATOR(|)
HIPSIGHT_INTEGER_OPERATOR(^)
HIPSIGHT_INTEGER_OPERATOR(<<)
HIPSIGHT_INTEGER_OPERATOR(>>)
#undef HIPSIGHT_INTEGER_OPERATOR
template <class T, int N>
  requires is_integer<T>
inline Lanes<T, N> operator~(Lanes<T, N> a) {
  return Lanes<T, N>(~a.v);
}

#define HIPSIGHT_COMPARISON(OP)                                                      \
  template <class T, int N>                                                          \
  inline Mask<N> operator OP(Lanes<T, N> a, Lanes<T, N> b) {                         \
    return mask_of<N>(a.v OP b.v);                                                   \
  }                                                                                  \
  template <class T, int N, class I>                                                 \
    requires std::is_arithmetic_v<I>                                                 \
  inline Mask<N> operator OP(Lanes<T, N> a, I b) {                                   \
    return mask_of<N>(a.v OP Lanes<T, N>(static_cast<typename Host<T>::type>(b)).v); \
  }
HIPSIGHT_COMPARISON(==)
HIPSIGHT_COMPARISON(!=)
HIPSIGHT_COMPARISON(<)
HIPSIGHT_COMPARISON(<=)
HIPSIGHT_COMPARISON(>)
HIPSIGHT_COMPARISON(>=)
#undef HIPSIGHT_COMPARISON

/// Reinterprets the bits: same width only. Sixteen-bit floats are widened, so use load and store.
template <class To, class From, int N>
inline Lanes<To, N> as(Lanes<From, N> a) {
  static_assert(sizeof(typename Host<To>::type) == sizeof(typename Host<From>::type));
  return Lanes<To, N>(std::bit_cast<typename Lanes<To, N>::Vector>(a.v));
}
/// Converts an integer to another width or signedness: truncates, or extends by the source's sign.
template <class To, class From, int N>
  requires(is_integer<To> && is_integer<From>)
inline Lanes<To, N> to(Lanes<From, N> a) {
  auto v = __builtin_convertvector(a.v, typename Lanes<To, N>::Vector);
  if constexpr (std::is_same_v<To, isa::u16>) v &= 0xffff;
  if constexpr (std::is_same_v<To, isa::i16>) v = (v << 16) >> 16;
  return Lanes<To, N>(v);
}
/// 1 where the bit is set.
template <class To, int N>
inline Lanes<To, N> to(Mask<N> m) {
  return Lanes<To, N>(__builtin_convertvector(-m.v, typename Lanes<To, N>::Vector));
}

template <class T, int N>
  requires is_integer<T>
inline Lanes<T, N> min(Lanes<T, N> a, Lanes<T, N> b) {
  return Lanes<T, N>(__builtin_elementwise_min(a.v, b.v));
}
template <class T, int N>
  requires is_integer<T>
inline Lanes<T, N> max(Lanes<T, N> a, Lanes<T, N> b) {
  return Lanes<T, N>(__builtin_elementwise_max(a.v, b.v));
}
template <class T, int N>
  requires is_integer<T>
inline Lanes<T, N> popcount(Lanes<T, N> a) {
  return Lanes<T, N>(__builtin_elementwise_popcount(a.v));
}
template <class T, int N>
  requires is_integer<T>
inline Lanes<T, N> bit_reverse(Lanes<T, N> a) {
  return Lanes<T, N>(__builtin_elementwise_bitreverse(a.v));
}
/// Number of leading zeros; the width for 0.
template <class T, int N>
  requires is_integer<T>
inline Lanes<T, N> leading_zeros(Lanes<T, N> a) {
  using E = typename Host<T>::type;
  Lanes<T, N> r;
  for (int i = 0; i < N; ++i)
    r.v[i] = static_cast<E>(std::countl_zero(static_cast<std::make_unsigned_t<E>>(a.v[i])));
  return r;
}
template <class T, int N>
  requires is_integer<T>
inline Lanes<T, N> trailing_zeros(Lanes<T, N> a) {
  using E = typename Host<T>::type;
  Lanes<T, N> r;
  for (int i = 0; i < N; ++i)
    r.v[i] = static_cast<E>(std::countr_zero(static_cast<std::make_unsigned_t<E>>(a.v[i])));
  return r;
}
/// High 32 bits of the 64-bit product.
template <int N>
inline Lanes<isa::u32, N> mul_high(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b) {
  return to<isa::u32>((to<isa::u64>(a) * to<isa::u64>(b)) >> 32);
}
template <int N>
inline Lanes<isa::i32, N> mul_high(Lanes<isa::i32, N> a, Lanes<isa::i32, N> b) {
  return to<isa::i32>((to<isa::i64>(a) * to<isa::i64>(b)) >> 32);
}

/// A value with a bit per lane: the carry of an addition.
template <class T, int N>
struct WithBit {
  Lanes<T, N> value;
  Mask<N> bit;
};
template <class T, int N>
inline WithBit<T, N> with(Lanes<T, N> value, Mask<N> bit) {
  return {value, bit};
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
