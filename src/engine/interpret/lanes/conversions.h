#pragma once
// Halves of registers, and conversions that do not round by the mode.

#include "engine/interpret/registers.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

/// The low or high half of each element as a 16-bit type.
template <class T, int N>
inline Lanes<T, N> low(Lanes<isa::u32, N> a) {
  return from_bits<T, N>(a.v & 0xffff);
}
template <class T, int N>
inline Lanes<T, N> high(Lanes<isa::u32, N> a) {
  return from_bits<T, N>(a.v >> 16);
}
/// Two 16-bit values in one register, the first one low.
template <class A, class B, int N>
inline Lanes<isa::u32, N> pack(Lanes<A, N> a, Lanes<B, N> b) {
  return Lanes<isa::u32, N>(to_bits<A, N>(a) | to_bits<B, N>(b) << 16);
}
/// Two f32 in a pair of registers.
template <int N>
inline Lanes<isa::u64, N> pair(Lanes<isa::f32, N> a, Lanes<isa::f32, N> b) {
  return to<isa::u64>(bits(a)) | to<isa::u64>(bits(b)) << 32;
}

/// The value as its register would hold it: 16-bit types are wider while they are computed with.
template <class T, int N>
inline Lanes<T, N> rounded(Lanes<T, N> a) {
  if constexpr (std::is_same_v<T, isa::f16> || std::is_same_v<T, isa::bf16>)
    return from_bits<T, N>(to_bits<T, N>(a));
  else
    return a;
}
/// a b + c, both operations rounded.
template <class T, int N>
inline Lanes<T, N> mad(Lanes<T, N> a, Lanes<T, N> b, Lanes<T, N> c) {
  return add(rounded(mul(a, b)), c);
}

/// f32 to f16, rounded toward zero: a finite value stays finite.
template <int N>
inline Lanes<isa::f16, N> to_half_toward_zero(Lanes<isa::f32, N> a) {
  const auto magnitude = bits(absolute(a));
  constexpr std::uint32_t infinity = 0x7f800000, largest = 0x477fe000, smallest_normal = 0x38800000;
  const auto normal =
      select((magnitude > largest) & (magnitude < infinity), largest, magnitude & ~0x1fffu);
  const Lanes<isa::f32, N> denormal(__builtin_elementwise_trunc(absolute(a).v * 0x1p24f) *
                                    0x1p-24f);
  const auto cut = select(magnitude < smallest_normal, bits(denormal), normal);
  // A NaN whose payload lies in the bits cut away stays one.
  const auto nan = select(magnitude > infinity, magnitude | 0x00400000u, cut);
  return as<isa::f16>(copysign(as<isa::f32>(nan), a));
}

/// To normalised integers, to nearest even: -1 to 1 is -32767 to 32767, 0 to 1 is 0 to 65535;
/// values beyond saturate, NaN gives 0.
template <class T, int N>
inline Lanes<isa::i16, N> to_snorm16(Lanes<T, N> a) {
  const auto clamped = select(a < -1.0f, Lanes<T, N>(-1.0f), select(a > 1.0f, 1.0f, a));
  return to_integer<isa::i16>(round_even(Lanes<T, N>(clamped.v * 32767.0f)));
}
template <class T, int N>
inline Lanes<isa::u16, N> to_unorm16(Lanes<T, N> a) {
  const auto clamped = select(a < 0.0f, Lanes<T, N>(0.0f), select(a > 1.0f, 1.0f, a));
  return to_integer<isa::u16>(round_even(Lanes<T, N>(clamped.v * 65535.0f)));
}

/// The byte of v_cvt_pk_u8_f32: rounded by the mode, saturating, NaN gives 0.
template <int N>
inline Lanes<isa::u32, N> to_byte(Lanes<isa::f32, N> a) {
  const Lanes<isa::f32, N> whole(__builtin_elementwise_nearbyint(a.v));
  return min(to_integer<isa::u32>(whole), Lanes<isa::u32, N>(255u));
}

/// `word` with the byte that the low bits of `at` name replaced.
template <int N>
inline Lanes<isa::u32, N> with_byte(Lanes<isa::u32, N> word, Lanes<isa::u32, N> at,
                                    Lanes<isa::u32, N> byte) {
  const auto shift = (at & 3) * 8;
  return (word & ~(Lanes<isa::u32, N>(255u) << shift)) | byte << shift;
}

/// Whether the value is of one of the classes whose bits are set in `tests`: 0 signaling NaN,
/// 1 quiet NaN, 2 -infinity, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal,
/// 9 +infinity.
template <class T, int N>
inline Mask<N> is_class(Lanes<T, N> a, Lanes<isa::u32, N> tests) {
  using E = typename Host<T>::type;
  using U = Lanes<isa::u32, N>;
  // By bits: classes do not depend on the denormal mode.
  const auto magnitude = bits(absolute(a));
  const E smallest = std::is_same_v<T, isa::f16> ? E(0x1p-14)
                     : sizeof(E) == 8            ? E(0x1p-1022)
                                                 : E(0x1p-126f);
  const auto infinity = bits(Lanes<T, N>(E(INFINITY)));
  const Mask<N> negative = (bits(a) & sign_bit<T>) != 0;
  U number = select(magnitude == infinity, U(2u), U(3u));
  number = select(magnitude < bits(Lanes<T, N>(smallest)), U(4u), number);
  number = select(magnitude == 0, U(5u), number);
  number = select(negative, number, 11 - number);
  const U nan = select((magnitude & quiet_bit<T>) != 0, U(1u), U(0u));
  return ((tests >> select(magnitude > infinity, nan, number)) & 1) != 0;
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
