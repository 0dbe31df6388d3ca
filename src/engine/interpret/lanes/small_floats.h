#pragma once
// Floats of eight bits and fewer, in the low bits of a u32.
//
// FP8 and BF8 of GFX940 are the "fnuz" formats (no infinity, no -0, 0x80 is NaN; P. Micikevicius et
// al. and B. Noune et al., 2022); of GFX950 and GFX12 those of the Open Compute Project (OCP 8-bit
// Floating Point Specification 1.0: E4M3 without infinity, E5M2 as IEEE). FP6, BF6 and FP4 are of
// the OCP Microscaling Formats Specification 1.0. Conversions to them round to nearest even, or by
// random bits. A value too large becomes infinite where the format has it, else NaN, as the
// hardware does while MODE.FP16_OVFL is 0; without NaN it saturates.

#include "engine/interpret/lanes/conversions.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

enum class Beyond { Infinity, NaN, Saturate };

/// Numbers are mantissa * 2^(exponent - bias), as IEEE's; codes above `largest` are not finite.
template <int exponent_bits, int mantissa_bits_, int bias_, Beyond beyond_, bool fnuz_ = false>
struct SmallFloat {
  static constexpr int mantissa = mantissa_bits_, bias = bias_;
  static constexpr Beyond beyond = beyond_;
  static constexpr bool fnuz = fnuz_;
  static constexpr std::uint32_t sign = 1u << (exponent_bits + mantissa_bits_);
  /// The code of infinity, or what lies above the largest finite number.
  static constexpr std::uint32_t infinity = beyond_ == Beyond::Infinity
                                                ? ((1u << exponent_bits) - 1) << mantissa_bits_
                                            : fnuz_ || beyond_ == Beyond::Saturate ? sign
                                                                                   : sign - 1;
  static constexpr std::uint32_t largest = infinity - 1;
  static constexpr std::uint32_t nan = fnuz_ ? sign : sign - 1;
};
using Fp8Fnuz = SmallFloat<4, 3, 8, Beyond::NaN, true>;
using Bf8Fnuz = SmallFloat<5, 2, 16, Beyond::NaN, true>;
using Fp8 = SmallFloat<4, 3, 7, Beyond::NaN>;
using Bf8 = SmallFloat<5, 2, 15, Beyond::Infinity>;
using Fp6 = SmallFloat<2, 3, 1, Beyond::Saturate>;
using Bf6 = SmallFloat<3, 2, 3, Beyond::Saturate>;
using Fp4 = SmallFloat<2, 1, 1, Beyond::Saturate>;
using Half16 = SmallFloat<5, 10, 15, Beyond::Infinity>;

constexpr float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
}

/// The number that a code stands for: exact.
template <class F, int N>
inline Lanes<isa::f32, N> from_small(Lanes<isa::u32, N> code) {
  constexpr int shift = 23 - F::mantissa;
  const auto magnitude = code & (F::sign - 1);
  const auto normal =
      as<isa::f32>((magnitude << shift) + (static_cast<std::uint32_t>(127 - F::bias) << 23));
  const Lanes<isa::f32, N> denormal(
      __builtin_convertvector(as<isa::i32>(magnitude).v, Vec<float, N>) *
      power_of_two(1 - F::bias - F::mantissa));
  auto r = select(magnitude < (1u << F::mantissa), denormal, normal);
  const auto nan = as<isa::f32>(Lanes<isa::u32, N>(0x7fc00000u));
  if constexpr (F::beyond == Beyond::Infinity)
    r = select(magnitude == F::infinity, Lanes<isa::f32, N>(INFINITY),
               select(magnitude > F::infinity, nan, r));
  else if constexpr (F::beyond == Beyond::NaN && !F::fnuz)
    r = select(magnitude == F::nan, nan, r);
  r = select((code & F::sign) != 0, negate(r), r);
  if constexpr (F::fnuz) r = select(code == F::nan, nan, r);
  return r;
}

/// What rounding adds below the last bit kept: for nearest even, or of a random number's high bits.
/// `sticky`: bits below those dropped matter, since they break ties.
struct ToNearest {
  static constexpr bool sticky = true;
  template <int N>
  Lanes<isa::u32, N> operator()(Lanes<isa::u32, N> value, int dropped) const {
    return ((value >> dropped) & 1) + ((1u << (dropped - 1)) - 1);
  }
};
template <int N>
struct Randomly {
  static constexpr bool sticky = false;
  Lanes<isa::u32, N> seed;
  Lanes<isa::u32, N> operator()(Lanes<isa::u32, N>, int dropped) const {
    return seed >> (32 - dropped);
  }
};

template <class F, int N, class Round>
inline Lanes<isa::u32, N> to_small(Lanes<isa::f32, N> a, Round round) {
  constexpr int dropped = 23 - F::mantissa;
  constexpr float smallest_normal = power_of_two(1 - F::bias);
  const auto magnitude = absolute(a);
  const auto normal = bits(magnitude) - (static_cast<std::uint32_t>(127 - F::bias) << 23);
  // Denormals as fixed point with as many bits to drop.
  const auto small = select(magnitude < smallest_normal, magnitude, Lanes<isa::f32, N>(0));
  const Vec<float, N> scaled = small.v * power_of_two(F::bias - 1 + F::mantissa);
  const Vec<float, N> fixed = scaled * power_of_two(dropped);
  const Vec<std::int32_t, N> whole = __builtin_convertvector(fixed, Vec<std::int32_t, N>);
  auto denormal = as<isa::u32>(Lanes<isa::i32, N>(whole));
  if constexpr (Round::sticky)
    denormal =
        denormal | to<isa::u32>(mask_of<N>(__builtin_convertvector(whole, Vec<float, N>) != fixed));
  const auto exact = select(magnitude < smallest_normal, denormal, normal);
  auto code = (exact + round(exact, dropped)) >> dropped;
  const Mask<N> too_large = (code > F::largest) | (magnitude >= power_of_two(127));
  code = select(too_large,
                F::beyond == Beyond::Infinity   ? F::infinity
                : F::beyond == Beyond::Saturate ? F::largest
                                                : F::nan,
                code);
  if constexpr (F::beyond != Beyond::Saturate) code = select(is_nan(a), F::nan, code);
  const auto sign = select((bits(a) & 0x80000000u) != 0, F::sign, Lanes<isa::u32, N>(0u));
  if constexpr (F::fnuz)  // -0 would be NaN
    return select((code == 0) | (code == F::nan), code, code | sign);
  else
    return code | sign;
}
template <class F, int N>
inline Lanes<isa::u32, N> to_small(Lanes<isa::f32, N> a) {
  return to_small<F>(a, ToNearest{});
}
template <class F, int N>
inline Lanes<isa::u32, N> to_small(Lanes<isa::f32, N> a, Lanes<isa::u32, N> seed) {
  return to_small<F>(a, Randomly<N>{seed});
}

/// f32 to bf16 by the high bits of a random number.
template <int N>
inline Lanes<isa::bf16, N> to_bfloat(Lanes<isa::f32, N> a, Lanes<isa::u32, N> seed) {
  const auto sum = (bits(a) + (seed >> 16)) & 0xffff0000u;
  const auto finite = absolute(a) < INFINITY;
  return as<isa::bf16>(as<isa::f32>(select(finite, sum, bits(a))));
}

// The formats by name, for entries.
#define HIPSIGHT_SMALL_FLOAT(NAME, FORMAT)                                             \
  template <int N>                                                                     \
  inline Lanes<isa::f32, N> from_##NAME(Lanes<isa::u32, N> code) {                     \
    return from_small<FORMAT>(code);                                                   \
  }                                                                                    \
  template <int N>                                                                     \
  inline Lanes<isa::u32, N> to_##NAME(Lanes<isa::f32, N> a) {                          \
    return to_small<FORMAT>(a);                                                        \
  }                                                                                    \
  template <int N>                                                                     \
  inline Lanes<isa::u32, N> to_##NAME(Lanes<isa::f32, N> a, Lanes<isa::u32, N> seed) { \
    return to_small<FORMAT>(a, seed);                                                  \
  }
HIPSIGHT_SMALL_FLOAT(fp8_fnuz, Fp8Fnuz)
HIPSIGHT_SMALL_FLOAT(bf8_fnuz, Bf8Fnuz)
HIPSIGHT_SMALL_FLOAT(fp8, Fp8)
HIPSIGHT_SMALL_FLOAT(bf8, Bf8)
HIPSIGHT_SMALL_FLOAT(fp6, Fp6)
HIPSIGHT_SMALL_FLOAT(bf6, Bf6)
HIPSIGHT_SMALL_FLOAT(fp4, Fp4)
HIPSIGHT_SMALL_FLOAT(f16_bits, Half16)
#undef HIPSIGHT_SMALL_FLOAT

/// Byte or word `at` of a register.
template <int N>
inline Lanes<isa::u32, N> byte_of(Lanes<isa::u32, N> a, Lanes<isa::u32, N> at) {
  return (a >> ((at & 3) * 8)) & 255;
}
template <int N>
inline Lanes<isa::u32, N> word_of(Lanes<isa::u32, N> a, Lanes<isa::u32, N> at) {
  return (a >> ((at & 1) * 16)) & 0xffff;
}

/// Times, or divided by, the power of two that is the exponent of `scale` (E8M0: 255 is NaN).
template <int N>
inline Lanes<isa::f32, N> scaled_by(Lanes<isa::f32, N> a, Lanes<isa::f32, N> scale, int direction) {
  const auto field = (bits(scale) >> 23) & 255;
  const auto r = ldexp(a, (as<isa::i32>(field) - 127) * direction);
  return select(field == 255, default_nan<isa::f32, N>(), r);
}
template <int N>
inline Lanes<isa::f32, N> scaled_up(Lanes<isa::f32, N> a, Lanes<isa::f32, N> scale) {
  return scaled_by(a, scale, 1);
}
template <int N>
inline Lanes<isa::f32, N> scaled_down(Lanes<isa::f32, N> a, Lanes<isa::f32, N> scale) {
  return scaled_by(a, scale, -1);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
