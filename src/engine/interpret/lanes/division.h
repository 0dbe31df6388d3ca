#pragma once
// The three steps around Newton-Raphson division: v_div_scale, v_div_fmas and v_div_fixup, after
// the RDNA3 and CDNA4 manuals. Where the manuals' pseudocode would spoil quotients that are known
// to be right on hardware, the reading that makes LLVM's division expansions correctly rounded is
// taken:
//  - v_div_scale scales a huge denominator of a denormal quotient down (the pseudocode: up, which
//    overflows), and "x == DENORM" of a quotient means below the smallest normal number;
//  - v_div_fmas scales by 2^64 where the quotient is 2 or more, else by 2^-64 (f64: 2^128), and
//    rounds once;
//  - v_div_fixup makes a quotient infinite where the exponents say that it overflows (the
//    pseudocode names OVERFLOW, but under a condition that cannot hold there).

#include "engine/interpret/lanes/floats.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

template <class T>
struct Division;
template <>
struct Division<isa::f32> {
  static constexpr int mantissa = 23, exponent_mask = 255, bias = 127;
  static constexpr int scale = 64;          ///< powers of two by which v_div_scale scales
  static constexpr int near_overflow = 96;  ///< difference of exponents
  static constexpr int tiny = 23;           ///< exponent of a numerator that is scaled up
  static constexpr int underflow = -150;    ///< difference of exponents
};
template <>
struct Division<isa::f64> {
  static constexpr int mantissa = 52, exponent_mask = 2047, bias = 1023;
  static constexpr int scale = 128;
  static constexpr int near_overflow = 768;
  static constexpr int tiny = 53;
  static constexpr int underflow = -1075;
};

/// The exponent field.
template <class T, int N>
inline Lanes<isa::i32, N> exponent_field(Lanes<T, N> a) {
  using D = Division<T>;
  return to<isa::i32>((bits(a) >> D::mantissa) & D::exponent_mask);
}
template <class T, int N>
inline Lanes<T, N> power_of_two(int exponent) {
  using E = typename Host<BitsOf<T>>::type;
  return as<T>(
      Lanes<BitsOf<T>, N>(static_cast<E>(exponent + Division<T>::bias) << Division<T>::mantissa));
}

template <class T, int N>
[[gnu::noinline, gnu::cold]] WithBit<T, N> div_scale_special(const Lanes<T, N>& value,
                                                             const Lanes<T, N>& denominator,
                                                             const Lanes<T, N>& numerator) {
  using D = Division<T>;
  const auto up = power_of_two<T, N>(D::scale), down = power_of_two<T, N>(-D::scale),
             one = power_of_two<T, N>(0), smallest = power_of_two<T, N>(1 - D::bias);
  const auto d_exponent = exponent_field(denominator), n_exponent = exponent_field(numerator);
  const Mask<N> is_denominator = value == denominator, is_numerator = value == numerator;
  const Mask<N> zero = (denominator == 0) | (numerator == 0);
  const Mask<N> near_overflow = (n_exponent - d_exponent) >= D::near_overflow;
  const Mask<N> denormal = d_exponent == 0;
  const Mask<N> huge = absolute(denominator) > power_of_two<T, N>(D::bias - 1);
  Mask<N> small;
  if constexpr (std::is_same_v<T, isa::f32>) {
    using V = Vec<double, N>;
    small = mask_of<N>(__builtin_convertvector(absolute(numerator).v, V) <
                       __builtin_convertvector(absolute(denominator).v, V) * 0x1p-126);
  } else {
    small = Lanes<T, N>(absolute(numerator).v / absolute(denominator).v) < smallest;
  }
  const Mask<N> tiny = n_exponent <= D::tiny;
  // In order of priority, the last written first.
  auto factor = select(tiny, up, one);
  factor = select(small, select(is_numerator, up, one), factor);
  factor = select(huge, down, factor);
  factor = select(huge & small, select(is_denominator, down, one), factor);
  factor = select(denormal, up, factor);
  factor = select(near_overflow, select(is_denominator, up, one), factor);
  // What is not scaled is left as it is, a signalling NaN too: lanes do not depend on each other.
  const auto scaled = select(factor == one, value, mul(value, factor));
  return with(select(zero, default_nan<T, N>(), scaled),
              (near_overflow | (small & !denormal)) & !zero);
}

/// The numerator or denominator (whichever `value` is), scaled so that no step of the division
/// under- or overflows; the bit says that v_div_fmas must scale the quotient.
template <class T, int N>
inline WithBit<T, N> div_scale(Lanes<T, N> value, Lanes<T, N> denominator, Lanes<T, N> numerator) {
  using D = Division<T>;
  const auto d = exponent_field(denominator), n = exponent_field(numerator);
  const auto difference = n - d;
  const Mask<N> plain = (d > 0) & (d < 2 * D::bias - 1) & (n > D::tiny) & (n < D::exponent_mask) &
                        (difference < D::near_overflow) & (difference > 2 - D::bias);
  if (rare(!plain)) [[unlikely]]
    return div_scale_special(value, denominator, numerator);
  return with(value, Mask<N>(0));
}

/// s rounded to a multiple of `step`, where the exact value is s + t, t far below an ulp of s.
inline double round_to_multiple(double s, double t, double step) {
  const double magic = s < 0 ? step * -0x1p52 : step * 0x1p52;
  double r = (s + magic) - magic;
  const double rest = s - r;  // exact
  if (rest == step / 2 && t > 0) r += step;
  if (rest == -step / 2 && t < 0) r -= step;
  return r;
}
/// 2^power (a b + c), rounded once to nearest, where a b is a small correction of c.
inline double scaled_fma(double a, double b, double c, int power) {
  const double p = a * b, p_error = std::fma(a, b, -p);
  const double s = p + c, back = s - p;
  const double s_error = (p - (s - back)) + (c - back);
  const double t = s_error + p_error;
  const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52);
  // A result that is denormal loses bits of s: decide with t in hand.
  const double step = 0x1p-1074 / scale;
  if (power < 0 && (s < 0 ? -s : s) < 0x1p-1022 / scale)
    return round_to_multiple(s, t, step) * scale;
  return std::fma(a, b, c) * scale;
}

template <class T, int N>
[[gnu::noinline, gnu::cold]] Lanes<T, N> div_fmas_scaled(const Lanes<T, N>& a, const Lanes<T, N>& b,
                                                         const Lanes<T, N>& c,
                                                         const Mask<N>& scaled) {
  using D = Division<T>;
  const Mask<N> up = exponent_field(c) > D::bias;
  Lanes<T, N> r = fma(a, b, c);
  for (int i = 0; i < N; ++i) {
    if (!scaled.v[i]) continue;
    const int power = up.v[i] ? D::scale : -D::scale;
    if (r.v[i] != r.v[i]) continue;
    if constexpr (std::is_same_v<T, isa::f32>) {
      // Rounded to odd in f64, then once to f32.
      Vec<double, 1> sum =
          sum_to_odd<1>(Vec<double, 1>(a.v[i]) * Vec<double, 1>(b.v[i]), Vec<double, 1>(c.v[i]));
      r.v[i] = static_cast<float>(
          sum[0] * std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52));
    } else {
      r.v[i] = scaled_fma(a.v[i], b.v[i], c.v[i], power);
    }
  }
  return r;
}
/// The last step of Newton-Raphson; undoes the scaling where the bit says so.
template <class T, int N>
inline Lanes<T, N> div_fmas(Lanes<T, N> a, Lanes<T, N> b, Lanes<T, N> c, Mask<N> scaled) {
  if (rare(scaled)) [[unlikely]]
    return div_fmas_scaled(a, b, c, scaled);
  return fma(a, b, c);
}

/// The quotient with the right sign, and the right result for operands out of the ordinary.
template <class T, int N>
inline Lanes<T, N> div_fixup(Lanes<T, N> quotient, Lanes<T, N> denominator, Lanes<T, N> numerator) {
  const auto sign = as<T>(bits(denominator) ^ bits(numerator));
  Lanes<T, N> r = copysign(quotient, sign);
  Mask<N> underflow(0), overflow(0);
  if constexpr (!std::is_same_v<T, isa::f16>) {
    const auto difference = exponent_field(numerator) - exponent_field(denominator);
    underflow = difference < Division<T>::underflow;
    overflow = difference > Division<T>::bias + 2;
  }
  const Mask<N> special = underflow | overflow | (denominator == 0) | (numerator == 0) |
                          !(absolute(denominator) < INFINITY) | !(absolute(numerator) < INFINITY);
  if (rare(special)) [[unlikely]] {
    const Lanes<T, N> zero(0), infinity(INFINITY);
    const Mask<N> n_zero = numerator == 0, d_zero = denominator == 0;
    const Mask<N> n_infinite = is_infinite(numerator), d_infinite = is_infinite(denominator);
    r = select(underflow, copysign(zero, sign), r);
    r = select(overflow, copysign(infinity, sign), r);
    r = select(d_infinite | n_zero, copysign(zero, sign), r);
    r = select(d_zero | n_infinite, copysign(infinity, sign), r);
    r = select((n_zero & d_zero) | (n_infinite & d_infinite), negate(default_nan<T, N>()), r);
    r = select(is_nan(denominator), quiet(denominator), r);
    r = select(is_nan(numerator), quiet(numerator), r);
  }
  return r;
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
