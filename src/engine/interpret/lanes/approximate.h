#pragma once
// The transcendental instructions. The hardware's tables are not public: the manuals promise 1 ulp
// (0.51 ulp for some f16 forms, 2^29 ulp for f64), and that f32 forms flush denormal operands and
// results. 2^x is what attention spends its time on besides products: f32, within 0.84 ulp. The
// others are more exact: f64 polynomials with errors far below half an ulp of f32, so a result is
// the correctly rounded one but for rare near-ties; rcp, sqrt and all f64 forms round correctly. An
// operand outside the domain gives 0xffc00000 (0xfe00 for f16), as the manuals' examples show. Only
// additions, multiplications and their fusion: all host instruction sets give the same bits.

#include "engine/interpret/lanes/floats.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

/// A NaN operand, quieted; else the negative quiet NaN where `invalid`; else the result.
template <class T, int N>
inline Lanes<T, N> domain_rule(Lanes<T, N> result, Mask<N> invalid, Lanes<T, N> operand) {
  if (rare(invalid | is_nan(operand))) [[unlikely]] {
    result = select(invalid, negate(default_nan<T, N>()), result);
    result = select(is_nan(operand), quiet(operand), result);
  }
  return result;
}

/// f32: denormals to zero of the same sign. The widened f16 and bf16 have none; f64 keeps them.
template <class T, int N>
inline Lanes<T, N> flush(Lanes<T, N> a) {
  if constexpr (std::is_same_v<T, isa::f32>) {
    const auto magnitude = bits(a) & 0x7fffffffu;
    return select(magnitude < 0x00800000u, as<T>(bits(a) & 0x80000000u), a);
  } else {
    return a;
  }
}

/// c[0] + c[1] x + c[2] x^2 + ...: in pairs, so that steps do not wait for each other (Estrin).
template <int N, std::size_t Count>
inline Vec<double, N> polynomial(Vec<double, N> x, const double (&c)[Count]) {
  if constexpr (Count == 1) {
    return Vec<double, N>(c[0]);
  } else {
    constexpr std::size_t half = std::bit_ceil(Count) / 2;
    double low[half], high[Count - half];
    for (std::size_t i = 0; i < half; ++i) low[i] = c[i];
    for (std::size_t i = half; i < Count; ++i) high[i - half] = c[i];
    Vec<double, N> power = x;
    for (std::size_t i = 1; i < half; i *= 2) power = power * power;
    return polynomial<N>(x, low) + power * polynomial<N>(x, high);
  }
}

template <class T, int N>
inline Lanes<T, N> reciprocal(Lanes<T, N> a) {
  using V = typename Lanes<T, N>::Vector;
  const Lanes<T, N> x = flush(a);
  return flush(domain_rule(Lanes<T, N>(V(1) / x.v), Mask<N>(0), x));
}

template <class T, int N>
inline Lanes<T, N> square_root(Lanes<T, N> a) {
  const Lanes<T, N> x = flush(a);
  return domain_rule(Lanes<T, N>(__builtin_elementwise_sqrt(x.v)), x < 0, x);
}

/// 1 / sqrt(x): through f64, where two roundings do not add up to a visible error of f32; of f64
/// itself, within 1 ulp.
template <class T, int N>
inline Lanes<T, N> reciprocal_root(Lanes<T, N> a) {
  const Lanes<T, N> x = flush(a);
  const auto root = __builtin_elementwise_sqrt(__builtin_convertvector(x.v, Vec<double, N>));
  const Lanes<T, N> r(__builtin_convertvector(1.0 / root, typename Lanes<T, N>::Vector));
  return domain_rule(r, x < 0, x);
}

/// 2^x, within 0.84 ulp, for -126 <= x <= 128.
template <int N>
inline Vec<float, N> power_of_two(Vec<float, N> x) {
  using I = Vec<std::int32_t, N>;
  // 2^f on [-1/2, 1/2]: relative error 2^-27 (Remez, each coefficient rounded before the next).
  constexpr float c[]{1.0f,           0x1.62e432p-1f,  0x1.ebfbe6p-3f, 0x1.c6ada8p-5f,
                      0x1.3b21c8p-7f, 0x1.5fbfa2p-10f, 0x1.4c127ep-13f};
  const Vec<float, N> whole = __builtin_elementwise_roundeven(x);
  const Vec<float, N> f = x - whole;
  Vec<float, N> power = c[6];
  for (int i = 5; i >= 0; --i) power = fma_plain<N>(power, f, Vec<float, N>(c[i]));
  return std::bit_cast<Vec<float, N>>(std::bit_cast<I>(power) +
                                      (__builtin_convertvector(whole, I) << 23));
}
/// 2^x. Scores that are masked out are -infinity: nothing but a NaN is a rare case.
template <class T, int N>
inline Lanes<T, N> exp2(Lanes<T, N> a) {
  const auto clamped = select(a >= -126.0f, select(a < 128.0f, a, 128.0f), Lanes<T, N>(-126.0f));
  Lanes<T, N> r(power_of_two<N>(clamped.v));
  if constexpr (std::is_same_v<T, isa::f32>) r = select(a < -126.0f, 0.0f, r);  // denormal
  return domain_rule(r, Mask<N>(0), a);
}

/// log2(x) for x > 0, finite and not denormal in f64.
template <int N>
inline Vec<double, N> logarithm(Vec<double, N> x) {
  using I = Vec<std::int64_t, N>;
  using D = Vec<double, N>;
  // log2((1 + s) / (1 - s)) / s in s^2, s up to (sqrt(2) - 1) / (sqrt(2) + 1): error 2^-37 (Remez).
  constexpr double c[]{0x1.71547652bede5p+1, 0x1.ec709d12e1451p-1, 0x1.27777fda72ea2p-1,
                       0x1.a58d8fbb91deep-2, 0x1.5ce7cde5ae1bcp-2};
  // x = 2^e m with m in [sqrt(1/2), sqrt(2)).
  constexpr std::int64_t root_half = 0x3fe6a09e667f3bcd;
  const I u = std::bit_cast<I>(x);
  const I exponent = (u - root_half) >> 52;
  const D m = std::bit_cast<D>(u - (exponent << 52));
  const D s = (m - 1.0) / (m + 1.0);
  // The exponent as a double: in the low bits of 1.5 * 2^52.
  constexpr double magic = 0x1.8p52;
  const D e = std::bit_cast<D>(exponent + std::bit_cast<std::int64_t>(magic)) - magic;
  return e + s * polynomial<N>(s * s, c);
}
template <class T, int N>
inline Lanes<T, N> log2_plain(Lanes<T, N> a) {
  const auto r = logarithm<N>(__builtin_convertvector(a.v, Vec<double, N>));
  return Lanes<T, N>(__builtin_convertvector(r, typename Lanes<T, N>::Vector));
}
template <class T, int N>
[[gnu::noinline]] Lanes<T, N> log2_special(const Lanes<T, N>& a) {
  const Lanes<T, N> x = flush(a), infinity(INFINITY);
  auto r = select((x > 0) & (x < infinity), log2_plain(x), infinity);
  r = select(x == 0, negate(infinity), r);
  return domain_rule(r, x < 0, x);
}
/// log2(x).
template <class T, int N>
inline Lanes<T, N> log2(Lanes<T, N> a) {
  if (rare(!((a >= 0x1p-126f) & (a < INFINITY)))) [[unlikely]]
    return log2_special(a);
  return log2_plain(a);
}

/// sin(2 pi g) for |g| <= 1/4; relative error 2^-35 (Remez).
template <int N>
inline Vec<double, N> sine_of_quarter(Vec<double, N> g) {
  constexpr double c[]{0x1.921fb5441e49ep+2,  -0x1.4abbce4f1a2e0p+5, 0x1.466bbfc24fb24p+6,
                       -0x1.32d11201ba825p+6, 0x1.500ff7f383badp+5,  -0x1.cc345a88879fcp+3};
  return g * polynomial<N>(g * g, c);
}
/// The angle in revolutions within [-1/2, 1/2], exactly. Small angles keep the sign of zero.
template <class T, int N>
inline Lanes<T, N> within_half(Lanes<T, N> a) {
  return select(absolute(a) <= 0.5f, a, Lanes<T, N>(a.v - __builtin_elementwise_roundeven(a.v)));
}
/// sin(2 pi x).
template <class T, int N>
inline Lanes<T, N> sine(Lanes<T, N> a) {
  const Lanes<T, N> f = within_half(a);
  // sin(pi - x) = sin(x)
  const Lanes<T, N> folded(copysign(Lanes<T, N>(0.5f), f).v - f.v);
  const Lanes<T, N> g = select(absolute(f) > 0.25f, folded, f);
  const auto r = sine_of_quarter<N>(__builtin_convertvector(g.v, Vec<double, N>));
  return domain_rule(Lanes<T, N>(__builtin_convertvector(r, typename Lanes<T, N>::Vector)),
                     is_infinite(a), a);
}
/// cos(2 pi x).
template <class T, int N>
inline Lanes<T, N> cosine(Lanes<T, N> a) {
  const Lanes<T, N> f = absolute(within_half(a));
  const auto g = 0.25 - __builtin_convertvector(f.v, Vec<double, N>);
  const auto r = sine_of_quarter<N>(g);
  return domain_rule(Lanes<T, N>(__builtin_convertvector(r, typename Lanes<T, N>::Vector)),
                     is_infinite(a), a);
}

/// Source and result modifiers of GFX12's pseudo-scalar instructions: bit 0 neg, 1 abs, 2 clamp,
/// 3 and 4 omod.
template <class T, int N>
inline Lanes<T, N> modified(Lanes<T, N> a, Lanes<isa::u32, N> modifiers) {
  a = select((modifiers & 2) != 0, absolute(a), a);
  return select((modifiers & 1) != 0, negate(a), a);
}
template <class T, int N>
inline Lanes<T, N> finished(Lanes<T, N> r, Lanes<isa::u32, N> modifiers) {
  const auto omod = modifiers >> 3;
  r = select(omod == 1, mul(r, 2.0f), select(omod == 2, mul(r, 4.0f), r));
  r = select(omod == 3, mul(r, 0.5f), r);
  const auto above_0 = select(r > 0, r, Lanes<T, N>(0.0f));
  return select((modifiers & 4) != 0, select(above_0 < 1.0f, above_0, 1.0f), r);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
