#pragma once
// Loading and storing lanes of registers.

#include "engine/interpret/lanes/floats.h"
#include "engine/launch/wave.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

using U32x16 = Vec<std::uint32_t, 16>;
using F32x16 = Vec<float, 16>;

inline U32x16 load_slice(const std::byte* p) {
  U32x16 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store_slice(std::byte* p, U32x16 v) {
  std::memcpy(p, &v, sizeof v);
}

/// f16 bits (low half of each element) to float, exactly; signaling NaNs stay signaling.
template <int N>
inline Vec<float, N> widen_half(Vec<std::uint32_t, N> h) {
  h &= 0xffff;
#ifdef __F16C__
  const auto half =
      std::bit_cast<Vec<_Float16, N>>(__builtin_convertvector(h, Vec<std::uint16_t, N>));
  Vec<float, N> r = __builtin_convertvector(half, Vec<float, N>);
#else
  // Shift into place and rebias; denormals by a subtraction (F. Giesen, "half to float done quic").
  auto o = (h & 0x7fff) << 13;
  const auto exponent = o & (0x7c00u << 13);
  o += (127u - 15) << 23;
  const auto denormal = std::bit_cast<Vec<std::uint32_t, N>>(
      std::bit_cast<Vec<float, N>>(o + (1u << 23)) -
      std::bit_cast<Vec<float, N>>(Vec<std::uint32_t, N>(113u << 23)));
  o = exponent == (0x7c00u << 13) ? o + ((128u - 16) << 23) : o;
  o = exponent == 0 ? denormal : o;
  Vec<float, N> r = std::bit_cast<Vec<float, N>>(o | (h & 0x8000) << 16);
#endif
  const auto nan = (h & 0x7fff) > 0x7c00;
  if (rare(mask_of<N>(nan))) [[unlikely]] {
    const auto kept = (h & 0x8000) << 16 | 0x7f800000u | (h & 0x3ff) << 13;
    r = std::bit_cast<Vec<float, N>>(nan ? kept : std::bit_cast<Vec<std::uint32_t, N>>(r));
  }
  return r;
}

/// Float to f16 bits, rounded by the mode; NaN payloads are cut, and stay NaNs.
template <int N>
inline Vec<std::uint32_t, N> narrow_half(Vec<float, N> f) {
#ifdef __F16C__
  const auto half = __builtin_convertvector(f, Vec<_Float16, N>);
  return __builtin_convertvector(std::bit_cast<Vec<std::uint16_t, N>>(half), Vec<std::uint32_t, N>);
#else
  using U = Vec<std::uint32_t, N>;
  using F = Vec<float, N>;
  constexpr std::uint32_t bias = 127 - 15, infinity = 255u << 23;
  const U given = std::bit_cast<U>(f), sign = given & 0x80000000u;
  U u = given ^ sign;
  // What lies beyond the largest number is rounded like the last f32 before 2^16.
  constexpr std::uint32_t two_to_16 = (127u + 16) << 23;
  u = u >= two_to_16 && u < infinity ? U(two_to_16 - 1) : u;
  // Beside a number whose last place is that of the result, a sum rounds as the mode has it.
  constexpr std::uint32_t least_exponent = (bias + 1) << 23, places = (23 - 10) << 23;
  U exponent = u & infinity;
  exponent = exponent < least_exponent ? U(least_exponent) : exponent;
  const F beside = std::bit_cast<F>((exponent + places) | sign);
  u = std::bit_cast<U>((std::bit_cast<F>(u | sign) + beside) - beside) & 0x7fffffff;
  const U denormal = __builtin_convertvector(std::bit_cast<F>(u) * 0x1p24f, U);
  U r = u < least_exponent ? denormal : (u - (bias << 23)) >> 13;
  const U magnitude = given ^ sign;
  r = magnitude == infinity ? U(0x7c00) : r;
  r = magnitude > infinity ? 0x7e00 | ((magnitude >> 13) & 0x3ff) : r;
  return r | sign >> 16;
#endif
}

template <int N>
inline Vec<std::uint32_t, N> narrow_bfloat(Vec<float, N> f) {
  const auto u = std::bit_cast<Vec<std::uint32_t, N>>(f);
  const auto rounded = (u + 0x7fff + ((u >> 16) & 1)) >> 16;
  return (u & 0x7fffffff) > 0x7f800000 ? (u >> 16 | 0x40) : rounded;
}

/// Register bits (low half for 16-bit types) to lanes of a type of at most 32 bits.
template <class Tag, int N>
inline Lanes<Tag, N> from_bits(Vec<std::uint32_t, N> u) {
  if constexpr (std::is_same_v<Tag, isa::f16>)
    return Lanes<Tag, N>(widen_half<N>(u));
  else if constexpr (std::is_same_v<Tag, isa::bf16>)
    return Lanes<Tag, N>(std::bit_cast<Vec<float, N>>(u << 16));
  else if constexpr (std::is_same_v<Tag, isa::u16>)
    return Lanes<Tag, N>(u & 0xffff);
  else if constexpr (std::is_same_v<Tag, isa::i16>)
    return Lanes<Tag, N>(std::bit_cast<Vec<std::int32_t, N>>(u << 16) >> 16);
  else
    return Lanes<Tag, N>(std::bit_cast<typename Lanes<Tag, N>::Vector>(u));
}
/// Lanes to register bits; 16-bit types fill the low half, zero above.
template <class Tag, int N>
inline Vec<std::uint32_t, N> to_bits(Lanes<Tag, N> a) {
  if constexpr (std::is_same_v<Tag, isa::f16>)
    return narrow_half<N>(a.v);
  else if constexpr (std::is_same_v<Tag, isa::bf16>)
    return narrow_bfloat<N>(a.v);
  else if constexpr (std::is_same_v<Tag, isa::u16> || std::is_same_v<Tag, isa::i16>)
    return std::bit_cast<Vec<std::uint32_t, N>>(a.v) & 0xffff;
  else
    return std::bit_cast<Vec<std::uint32_t, N>>(a.v);
}

template <class Tag>
inline constexpr bool wide = isa::is_64_bit(isa::type_of<Tag>);

/// Lanes of a register, or of a pair whose high register lies `pair` bytes further.
template <class Tag>
inline Lanes<Tag, 16> load(const std::byte* p, std::size_t pair) {
  if constexpr (wide<Tag>) {
    using W = Vec<std::uint64_t, 16>;
    const W low = __builtin_convertvector(load_slice(p), W);
    const W high = __builtin_convertvector(load_slice(p + pair), W);
    return Lanes<Tag, 16>(std::bit_cast<typename Lanes<Tag, 16>::Vector>(low | high << 32));
  } else {
    return from_bits<Tag, 16>(load_slice(p));
  }
}
template <class Tag>
inline void store(std::byte* p, std::size_t pair, Lanes<Tag, 16> a) {
  if constexpr (wide<Tag>) {
    const auto u = std::bit_cast<Vec<std::uint64_t, 16>>(a.v);
    store_slice(p, __builtin_convertvector(u, U32x16));
    store_slice(p + pair, __builtin_convertvector(u >> 32, U32x16));
  } else {
    store_slice(p, to_bits<Tag, 16>(a));
  }
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
