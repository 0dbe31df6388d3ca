#pragma once
// Floating point as the manuals define it, one number at a time and without the engine's code: the
// oracle of the tests.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

namespace hipsight::test {

using u16 = std::uint16_t;
using i16 = std::int16_t;
using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

/// A binary format of up to 64 bits.
struct Format {
  int width, mantissa, bias;
  u64 sign() const { return 1ull << (width - 1); }
  u64 infinity() const { return (sign() - 1) & ~((1ull << mantissa) - 1); }
  u64 quiet() const { return 1ull << (mantissa - 1); }
  u64 mask() const { return sign() | (sign() - 1); }
  u64 magnitude(u64 x) const { return x & (sign() - 1); }
  bool negative(u64 x) const { return (x & sign()) != 0; }
  bool nan(u64 x) const { return magnitude(x) > infinity(); }
  bool signaling(u64 x) const { return nan(x) && !(x & quiet()); }
  bool infinite(u64 x) const { return magnitude(x) == infinity(); }
  bool zero(u64 x) const { return magnitude(x) == 0; }
  bool denormal(u64 x) const { return !zero(x) && magnitude(x) < (1ull << mantissa); }
  u64 default_nan() const { return infinity() | quiet(); }

  /// The exact value; every format here fits.
  long double value(u64 x) const {
    const u64 m = magnitude(x);
    const int exponent = static_cast<int>(m >> mantissa);
    const u64 fraction = m & ((1ull << mantissa) - 1);
    long double v;
    if (nan(x)) return std::numeric_limits<long double>::quiet_NaN();
    if (infinite(x))
      v = std::numeric_limits<long double>::infinity();
    else if (exponent == 0)
      v = std::ldexp(static_cast<long double>(fraction), 1 - bias - mantissa);
    else
      v = std::ldexp(static_cast<long double>(fraction | 1ull << mantissa),
                     exponent - bias - mantissa);
    return negative(x) ? -v : v;
  }
  /// The nearest number to v, ties to even; `v` and `below` (a tiny part that v left out,
  /// of which only the sign counts) make up the exact value.
  u64 round(long double v, int below = 0) const {
    const u64 s = std::signbit(v) ? sign() : 0;
    v = std::fabs(v);
    if (s) below = -below;
    if (std::isnan(v)) return default_nan();
    if (std::isinf(v)) return s | infinity();
    if (v == 0) return s;
    int e;
    std::frexp(v, &e);  // v in [2^(e-1), 2^e)
    if (e > bias + 1) return s | infinity();
    const int quantum = std::max(e - 1 - mantissa, 1 - bias - mantissa);
    const long double scaled = std::ldexp(v, -quantum);
    const long double whole = std::floor(scaled), rest = scaled - whole;
    u64 n = static_cast<u64>(whole);
    const bool tie = rest == 0.5L;
    if (rest > 0.5L || (tie && below > 0) || (tie && below == 0 && (n & 1))) ++n;
    // n counts quanta; exponents come out by carries.
    const u64 field = static_cast<u64>(quantum - (1 - bias - mantissa));
    const u64 code = n + (field << mantissa);
    return s | std::min(code, infinity());
  }
};
inline constexpr Format half{16, 10, 15}, bfloat{16, 7, 127}, single{32, 23, 127},
    wide{64, 52, 1023};

/// When a result is NaN: the first operand that is one, quieted, or the default.
template <class... Operands>
u64 nan_of(const Format& f, Operands... operands) {
  for (const u64 x : {static_cast<u64>(operands)...})
    if (f.nan(x)) return x | f.quiet();
  return f.default_nan();
}

/// Values of a format: edges, denormals, numbers near each other, any bits; repeated to fill 64
/// bits with different ones.
class Floats {
 public:
  explicit Floats(u64 seed) : random_(seed) {}
  u64 random() { return random_(); }
  u64 one(const Format& f) {
    const u64 r = random_();
    const int exponents = f.width - 1 - f.mantissa;
    const u64 fraction = (1ull << f.mantissa) - 1, any = random_() & f.mask();
    const u64 s = any & f.sign();
    const auto with_exponent = [&](u64 e) { return s | e << f.mantissa | (any & fraction); };
    const u64 top = (1ull << exponents) - 2;
    switch (r % 12) {
      case 0: {
        const u64 edges[]{0,
                          1,
                          fraction,
                          fraction + 1,
                          f.infinity() - 1,
                          f.infinity(),
                          f.infinity() | 1,
                          f.default_nan(),
                          f.default_nan() | 5,
                          static_cast<u64>(f.bias) << f.mantissa,
                          static_cast<u64>(f.bias - 1) << f.mantissa,
                          static_cast<u64>(f.bias + 1) << f.mantissa};
        return s | edges[r / 16 % std::size(edges)];
      }
      case 1:
        return with_exponent(0);
      case 2:
        return with_exponent(r / 16 % 30 % (top + 1));
      case 3:
        return with_exponent(top - r / 16 % 30 % (top + 1));
      case 4:
      case 5:
        return with_exponent(static_cast<u64>(f.bias) - 2 + r / 16 % 5);
      case 6:  // whole numbers and halves
        return f.round(static_cast<long double>(static_cast<i64>(r / 16 % 4096) - 2048) / 2);
      case 7:  // few bits set: ties
        return any & ~(fraction >> (r / 16 % static_cast<u64>(f.mantissa)));
      default:
        return any;
    }
  }
  u64 next(const Format& f) {
    u64 all = 0;
    for (int at = 0; at < 64; at += f.width) all |= one(f) << at;
    return all;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace hipsight::test
