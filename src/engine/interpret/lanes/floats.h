#pragma once
// Floating point as the GPU does it.
//
// NaN rule (as LLVM folds AMDGPU constants and AMD's manuals describe results): when an operand is
// a NaN the result is the first such operand, in operand order, quieted with sign and payload kept;
// an invalid operation without a NaN operand gives the positive quiet NaN without payload. x86
// gives a negative one, and picks an operand by position in the encoding, so results that are NaN
// are made anew. Every operation rounds once, in the rounding mode of MXCSR, which the wave's MODE
// register sets; nothing is contracted (-ffp-contract=off).

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include <cmath>

#include "engine/interpret/lanes/lanes.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

template <class T>
inline constexpr bool is_floating = std::is_floating_point_v<typename Host<T>::type>;

/// Integer type of the host element's width, for looking at bits.
template <class T>
using BitsOf = std::conditional_t<sizeof(typename Host<T>::type) == 8, isa::u64, isa::u32>;
template <class T>
inline constexpr auto sign_bit =
    static_cast<typename Host<BitsOf<T>>::type>(1) << (sizeof(typename Host<T>::type) * 8 - 1);
template <class T>
inline constexpr auto quiet_bit = static_cast<typename Host<BitsOf<T>>::type>(1)
                                  << (sizeof(typename Host<T>::type) == 8 ? 51 : 22);

template <class T, int N>
inline Lanes<BitsOf<T>, N> bits(Lanes<T, N> a) {
  return as<BitsOf<T>>(a);
}
template <class T, int N>
inline Lanes<T, N> quiet(Lanes<T, N> a) {
  return as<T>(bits(a) | quiet_bit<T>);
}
template <class T, int N>
inline Mask<N> is_nan(Lanes<T, N> a) {
  return mask_of<N>(a.v != a.v);
}
template <class T, int N>
inline Mask<N> is_signaling(Lanes<T, N> a) {
  return is_nan(a) & ((bits(a) & quiet_bit<T>) == 0);
}
template <class T, int N>
inline Lanes<T, N> absolute(Lanes<T, N> a) {
  return as<T>(bits(a) & ~sign_bit<T>);
}
template <class T, int N>
inline Lanes<T, N> negate(Lanes<T, N> a) {
  return as<T>(bits(a) ^ sign_bit<T>);
}
template <class T, int N>
inline Lanes<T, N> copysign(Lanes<T, N> magnitude, Lanes<T, N> sign) {
  return as<T>((bits(magnitude) & ~sign_bit<T>) | (bits(sign) & sign_bit<T>));
}
template <class T, int N>
inline Mask<N> is_infinite(Lanes<T, N> a) {
  return absolute(a) == static_cast<typename Host<T>::type>(INFINITY);
}
template <class T, int N>
inline Lanes<T, N> default_nan() {
  using E = typename Host<BitsOf<T>>::type;
  return as<T>(Lanes<BitsOf<T>, N>(sizeof(E) == 8 ? static_cast<E>(0x7ff8000000000000ull)
                                                  : static_cast<E>(0x7fc00000u)));
}

template <class T, int N>
[[gnu::noinline, gnu::cold]] void apply_nan_rule(Lanes<T, N>& result, const Lanes<T, N>* operands,
                                                 int count) {
  Lanes<T, N> nan = default_nan<T, N>();
  for (int i = count - 1; i >= 0; --i) nan = select(is_nan(operands[i]), quiet(operands[i]), nan);
  result = select(is_nan(result), nan, result);
}
/// The result, with its NaNs made by the rule from the operands.
template <class T, int N, class... Operands>
inline Lanes<T, N> nan_rule(Lanes<T, N> result, Operands... operands) {
  if (rare(is_nan(result))) [[unlikely]] {
    const Lanes<T, N> all[]{operands...};
    Lanes<T, N> ruled = result;
    apply_nan_rule(ruled, all, sizeof...(operands));
    return ruled;
  }
  return result;
}

template <class T, int N>
inline Lanes<T, N> add(Lanes<T, N> a, Lanes<T, N> b) {
  return nan_rule(Lanes<T, N>(a.v + b.v), a, b);
}
template <class T, int N>
inline Lanes<T, N> sub(Lanes<T, N> a, Lanes<T, N> b) {
  return nan_rule(Lanes<T, N>(a.v - b.v), a, b);
}
/// Keeps LLVM from making c - a b of (-a) b + c: what MODE rounds up would be rounded down.
template <class Vector>
inline Vector rounded_product(Vector product) {
#pragma clang fp reassociate(on)  // or clang sees no need of a fence
  return __arithmetic_fence(product);
}
template <class T, int N>
inline Lanes<T, N> mul(Lanes<T, N> a, Lanes<T, N> b) {
  return nan_rule(Lanes<T, N>(rounded_product(a.v * b.v)), a, b);
}
template <class T, int N>
inline Lanes<T, N> add(Lanes<T, N> a, typename Host<T>::type b) {
  return add(a, Lanes<T, N>(b));
}
template <class T, int N>
inline Lanes<T, N> mul(Lanes<T, N> a, typename Host<T>::type b) {
  return mul(a, Lanes<T, N>(b));
}
/// 0 times anything is 0 (v_mul_legacy).
template <class T, int N>
inline Lanes<T, N> mul_legacy(Lanes<T, N> a, Lanes<T, N> b) {
  return select((a == 0) | (b == 0), Lanes<T, N>(0), mul(a, b));
}

/// p + d rounded to odd: a later rounding to fewer bits is then right (Boldo and Melquiond,
/// "Emulation of FMA and correctly rounded sums", 2008).
template <int N>
inline Vec<double, N> sum_to_odd(Vec<double, N> p, Vec<double, N> d) {
  using I = Vec<std::int64_t, N>;
  const Vec<double, N> sum = p + d;
  const Vec<double, N> t = sum - p;
  const Vec<double, N> error = (p - (sum - t)) + (d - t);
  const I u = std::bit_cast<I>(sum);
  const auto finite = (sum - sum) == 0.0;
  const auto inexact = (error != 0.0) & finite;
  const auto toward_zero = (error < 0.0) ^ (sum < 0.0);
  const auto even = (u & 1) == 0;
  const I step = toward_zero ? I(-1) : I(1);
  return std::bit_cast<Vec<double, N>>(u + ((inexact & even) ? step : I(0)));
}
/// Fused multiply-add without host instructions for it: the product is exact in double. Apart,
/// since in unrolled products of matrices it takes compilers minutes.
template <int N>
[[gnu::noinline]] Vec<float, N> fma_emulated(Vec<float, N> a, Vec<float, N> b, Vec<float, N> c) {
  using D = Vec<double, N>;
  const D p = __builtin_convertvector(a, D) * __builtin_convertvector(b, D);
  return __builtin_convertvector(sum_to_odd<N>(p, __builtin_convertvector(c, D)), Vec<float, N>);
}

/// a b + c, rounded once; NaNs as the host has them.
template <int N, class E>
inline Vec<E, N> fma_plain(Vec<E, N> a, Vec<E, N> b, Vec<E, N> c) {
#ifdef __FMA__
  return __builtin_elementwise_fma(a, b, c);
#else
  if constexpr (sizeof(E) == 8) {
    for (int i = 0; i < N; ++i) c[i] = std::fma(a[i], b[i], c[i]);
    return c;
  } else {
    return fma_emulated<N>(a, b, c);
  }
#endif
}

template <class T, int N>
inline Lanes<T, N> fma(Lanes<T, N> a, Lanes<T, N> b, Lanes<T, N> c) {
  Lanes<T, N> r;
  if constexpr (std::is_same_v<T, isa::f16>) {
    // Exact in double up to a rounding that cannot hit a tie of f16: spans of over 53 bits
    // overflow.
    using D = Vec<double, N>;
    const D p = __builtin_convertvector(a.v, D) * __builtin_convertvector(b.v, D);
    D sum = p + __builtin_convertvector(c.v, D);
    // Round to odd at 24 bits of precision or more before the store rounds to f16.
    auto u = std::bit_cast<Vec<std::uint64_t, N>>(sum);
    u = (u & ~std::uint64_t{0x1fffffff}) |
        ((u & 0x1fffffff) != 0 ? Vec<std::uint64_t, N>(1ull << 29) : Vec<std::uint64_t, N>(0));
    const auto plain = (sum == 0.0) | (sum - sum != 0.0);
    sum = plain ? sum : std::bit_cast<D>(u);
    r.v = __builtin_convertvector(sum, Vec<float, N>);
  } else {
    r.v = fma_plain<N>(a.v, b.v, c.v);
  }
  return nan_rule(r, a, b, c);
}

/// a b + c, where 0 times anything is 0.
template <class T, int N>
inline Lanes<T, N> fma_legacy(Lanes<T, N> a, Lanes<T, N> b, Lanes<T, N> c) {
  return select((a == 0) | (b == 0), c, fma(a, b, c));
}

/// IEEE-754-2008 minNum and maxNum with -0 below +0; a signaling NaN comes back quieted (the
/// manuals' v_min_f32 with IEEE mode on).
template <class T, int N>
inline Lanes<T, N> min_ordered(Lanes<T, N> a, Lanes<T, N> b) {
  return select(a < b, a, select(a == b, as<T>(bits(a) | bits(b)), b));
}
template <class T, int N>
inline Lanes<T, N> max_ordered(Lanes<T, N> a, Lanes<T, N> b) {
  return select(a > b, a, select(a == b, as<T>(bits(a) & bits(b)), b));
}
template <class T, int N>
inline Lanes<T, N> number_rule(Lanes<T, N> r, Lanes<T, N> a, Lanes<T, N> b, bool ieee) {
  const Mask<N> nan = is_nan(a) | is_nan(b);
  if (rare(nan)) [[unlikely]] {
    r = select(is_nan(a), b, select(is_nan(b), a, r));
    if (ieee)
      r = select(is_signaling(a), quiet(a), select(is_signaling(b), quiet(b), r));
    else
      r = select(is_nan(a) & is_nan(b), quiet(a), r);
  }
  return r;
}
template <class T, int N>
  requires is_floating<T>
inline Lanes<T, N> min(Lanes<T, N> a, Lanes<T, N> b) {
  return number_rule(min_ordered(a, b), a, b, true);
}
template <class T, int N>
  requires is_floating<T>
inline Lanes<T, N> max(Lanes<T, N> a, Lanes<T, N> b) {
  return number_rule(max_ordered(a, b), a, b, true);
}
/// IEEE-754-2019 minimumNumber and maximumNumber (gfx12's v_min_num_f32).
template <class T, int N>
inline Lanes<T, N> min_number(Lanes<T, N> a, Lanes<T, N> b) {
  return number_rule(min_ordered(a, b), a, b, false);
}
template <class T, int N>
inline Lanes<T, N> max_number(Lanes<T, N> a, Lanes<T, N> b) {
  return number_rule(max_ordered(a, b), a, b, false);
}
/// The one in the middle, as the manuals find it; with a NaN among them the least of the others.
template <class T, int N, class Min, class Max>
inline Lanes<T, N> median_by(Lanes<T, N> a, Lanes<T, N> b, Lanes<T, N> c, Min least, Max most) {
  const Lanes<T, N> top = most(most(a, b), c);
  const Lanes<T, N> middle = select(top == a, most(b, c), select(top == b, most(a, c), most(a, b)));
  return select(is_nan(a) | is_nan(b) | is_nan(c), least(least(a, b), c), middle);
}
template <class T, int N>
inline Lanes<T, N> median(Lanes<T, N> a, Lanes<T, N> b, Lanes<T, N> c) {
  return median_by(
      a, b, c, [](auto x, auto y) { return min(x, y); }, [](auto x, auto y) { return max(x, y); });
}
template <class T, int N>
inline Lanes<T, N> median_number(Lanes<T, N> a, Lanes<T, N> b, Lanes<T, N> c) {
  return median_by(
      a, b, c, [](auto x, auto y) { return min_number(x, y); },
      [](auto x, auto y) { return max_number(x, y); });
}
/// IEEE-754-2019 minimum and maximum: a NaN operand gives a NaN.
template <class T, int N>
inline Lanes<T, N> minimum(Lanes<T, N> a, Lanes<T, N> b) {
  return nan_rule(select(is_nan(a) | is_nan(b), default_nan<T, N>(), min_ordered(a, b)), a, b);
}
template <class T, int N>
inline Lanes<T, N> maximum(Lanes<T, N> a, Lanes<T, N> b) {
  return nan_rule(select(is_nan(a) | is_nan(b), default_nan<T, N>(), max_ordered(a, b)), a, b);
}

// Rounding to an integral value: host instructions quiet NaNs and keep payloads, as the GPU does.
template <class T, int N>
inline Lanes<T, N> trunc(Lanes<T, N> a) {
  return Lanes<T, N>(__builtin_elementwise_trunc(a.v));
}
template <class T, int N>
inline Lanes<T, N> floor(Lanes<T, N> a) {
  return Lanes<T, N>(__builtin_elementwise_floor(a.v));
}
template <class T, int N>
inline Lanes<T, N> ceil(Lanes<T, N> a) {
  return Lanes<T, N>(__builtin_elementwise_ceil(a.v));
}
template <class T, int N>
inline Lanes<T, N> round_even(Lanes<T, N> a) {
  return Lanes<T, N>(__builtin_elementwise_roundeven(a.v));
}
/// x - floor(x), below 1.
template <class T, int N>
inline Lanes<T, N> fract(Lanes<T, N> a) {
  using E = typename Host<T>::type;
  constexpr E below_one = std::is_same_v<T, isa::f16> ? E(0.99951171875)
                          : sizeof(E) == 8            ? E(0x1.fffffffffffffp-1)
                                                      : E(0x1.fffffep-1f);
  const Lanes<T, N> r = sub(a, floor(a));
  return select(r > below_one, Lanes<T, N>(below_one), r);
}

/// Float to integer: toward zero, saturating, NaN gives 0.
template <class To, class From, int N>
  requires(is_integer<To> && is_floating<From>)
inline Lanes<To, N> to_integer(Lanes<From, N> a) {
  using F = typename Host<From>::type;
  using I = typename Host<To>::type;
  constexpr I low = std::is_same_v<To, isa::i16>   ? static_cast<I>(-32768)
                    : std::is_same_v<To, isa::u16> ? static_cast<I>(0)
                                                   : std::numeric_limits<I>::min();
  constexpr I high = std::is_same_v<To, isa::i16>   ? static_cast<I>(32767)
                     : std::is_same_v<To, isa::u16> ? static_cast<I>(65535)
                                                    : std::numeric_limits<I>::max();
  // 2^k just above `high` is exact in every float type.
  constexpr int digits = std::is_same_v<To, isa::i16>   ? 15
                         : std::is_same_v<To, isa::u16> ? 16
                                                        : std::numeric_limits<I>::digits;
  constexpr F above = static_cast<F>(std::uint64_t{1} << (digits - 1)) * 2;
  using Vector = typename Lanes<To, N>::Vector;
  const Mask<N> usual = (low == 0 ? !(bits(a) > bits(Lanes<From, N>(above))) : absolute(a) < above);
  if (!rare(!(usual & (a < above)))) [[likely]]
    return Lanes<To, N>(__builtin_convertvector(a.v, Vector));
  const Mask<N> in_range = (a >= F(low)) & (a < above);
  const Lanes<To, N> r(__builtin_convertvector(select(in_range, a, F(0)).v, Vector));
  return select(a >= above, high, select(a < F(low), low, r));
}
/// Integer to float, or between float types, rounded once by the mode; a NaN is quieted, and keeps
/// the high bits of its payload.
template <class To, class From, int N>
  requires is_floating<To>
inline Lanes<To, N> to_float(Lanes<From, N> a) {
  const Lanes<To, N> r(__builtin_convertvector(a.v, typename Lanes<To, N>::Vector));
  if constexpr (std::is_same_v<typename Host<To>::type, typename Host<From>::type>)
    if (rare(is_nan(r))) [[unlikely]]
      return select(is_nan(r), quiet(r), r);
  return r;
}

/// Layout of a host float.
template <class T>
inline constexpr int mantissa_bits = sizeof(typename Host<T>::type) == 8 ? 52 : 23;
template <class T>
inline constexpr int exponent_bias = sizeof(typename Host<T>::type) == 8 ? 1023 : 127;

/// A number and how many powers of two it was scaled up by to be normal.
template <class T, int N>
struct Normalised {
  Lanes<T, N> value;
  Lanes<isa::i32, N> shift;
};
template <class T, int N>
inline Normalised<T, N> normalise(Lanes<T, N> a) {
  using E = typename Host<T>::type;
  constexpr int up = mantissa_bits<T> + 1;
  constexpr E factor = sizeof(E) == 8 ? E(0x1p53) : E(0x1p24);
  constexpr E smallest = sizeof(E) == 8 ? E(0x1p-1022) : E(0x1p-126f);
  const Mask<N> small = absolute(a) < smallest;
  return {select(small, Lanes<T, N>(a.v * factor), a), to<isa::i32>(small) * up};
}
template <class T, int N>
[[gnu::noinline, gnu::cold]] Lanes<T, N> ldexp_special(const Lanes<T, N>& a,
                                                       const Lanes<isa::i32, N>& n) {
  using B = typename Host<BitsOf<T>>::type;
  constexpr B mantissa = sign_bit<T> | ((B(1) << mantissa_bits<T>)-1);
  constexpr int highest = 2 * exponent_bias<T>, far = 4 * exponent_bias<T>, below = 64;
  const auto normal = normalise(a);
  const auto field = to<isa::i32>(bits(absolute(normal.value)) >> mantissa_bits<T>) - normal.shift;
  const auto exponent = field + max(min(n, Lanes<isa::i32, N>(far)), Lanes<isa::i32, N>(-far));
  // Out of the range of normal numbers: the nearest in range, times a power of two that rounds.
  const Mask<N> low = exponent<1, high = exponent> highest;
  const auto kept =
      select(low, max(exponent + below, Lanes<isa::i32, N>(1)), select(high, highest, exponent));
  const auto power =
      select(low, exponent_bias<T> - below,
             select(high, exponent_bias<T> + below, Lanes<isa::i32, N>(exponent_bias<T>)));
  const auto with_exponent = [](auto e) { return to<BitsOf<T>>(e) << mantissa_bits<T>; };
  const auto number = as<T>((bits(normal.value) & mantissa) | with_exponent(kept));
  const auto r = Lanes<T, N>(select(a == 0, a, number).v * as<T>(with_exponent(power)).v);
  return nan_rule(select(absolute(a) < INFINITY, r, a), a);
}
/// x * 2^n, rounded once; denormals as MODE has them.
template <class T, int N>
inline Lanes<T, N> ldexp(Lanes<T, N> a, Lanes<isa::i32, N> n) {
#ifdef __AVX512F__
  constexpr int whole = 16;  // lanes of f32 in a register
  if constexpr (std::is_same_v<T, isa::f32> && N % whole == 0) {
    const auto power = __builtin_convertvector(n.v, Vec<float, N>);
    Lanes<T, N> r;
    for (int i = 0; i < N; i += whole) {
      const __m512 scaled =
          _mm512_scalef_ps(_mm512_loadu_ps(reinterpret_cast<const float*>(&a.v) + i),
                           _mm512_loadu_ps(reinterpret_cast<const float*>(&power) + i));
      _mm512_storeu_ps(reinterpret_cast<float*>(&r.v) + i, scaled);
    }
    return nan_rule(r, a);
  }
#endif
  constexpr int highest = 2 * exponent_bias<T>;
  const auto field = to<isa::i32>(bits(absolute(a)) >> mantissa_bits<T>);
  const Mask<N> zero = bits(absolute(a)) == 0;
  const Mask<N> normal = (field > 0) & (field <= highest) & (n >= -highest) & (n <= highest) &
                         (field + n > 0) & (field + n <= highest);
  if (rare(!(normal | zero))) [[unlikely]]
    return ldexp_special(a, n);
  return select(zero, a, as<T>(bits(a) + (to<BitsOf<T>>(n) << mantissa_bits<T>)));
}
/// Mantissa in [0.5, 1) with the sign; zeros, infinities and NaNs themselves.
template <class T, int N>
inline Lanes<T, N> frexp_mantissa(Lanes<T, N> a) {
  using B = typename Host<BitsOf<T>>::type;
  constexpr B half = static_cast<B>(exponent_bias<T> - 1) << mantissa_bits<T>;
  constexpr B kept = sign_bit<T> | ((B(1) << mantissa_bits<T>)-1);
  const auto mantissa = as<T>((bits(normalise(a).value) & kept) | half);
  return nan_rule(select((a == 0) | !(absolute(a) < INFINITY), a, mantissa), a);
}
/// Exponent such that x = mantissa * 2^exponent; 0 for zeros, infinities and NaNs.
template <class T, int N>
inline Lanes<isa::i32, N> frexp_exponent(Lanes<T, N> a) {
  const auto normal = normalise(a);
  const auto field = to<isa::i32>(bits(absolute(normal.value)) >> mantissa_bits<T>);
  return select((a == 0) | !(absolute(a) < INFINITY), 0,
                field - normal.shift - (exponent_bias<T> - 1));
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
