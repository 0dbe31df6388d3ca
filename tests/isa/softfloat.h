#pragma once
// Arithmetic on formats of up to 64 bits in integers alone: exact, then rounded once, to nearest
// even. Neither the engine nor the host's floating point takes part.

#include <algorithm>
#include <bit>
#include <utility>

#include "float_reference.h"

namespace hipsight::test::soft {

using u128 = unsigned __int128;

/// significand * 2^exponent. Where bits were lost below, the lowest bit is set instead: rounding
/// goes the right way as long as it cuts more than one bit.
struct Exact {
  bool negative;
  u128 significand;
  int exponent;
};

inline int top_bit(u128 x) {
  const u64 high = static_cast<u64>(x >> 64);
  return high ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<u64>(x));
}

/// A number that is finite.
inline Exact unpack(const Format& f, u64 a) {
  const u64 magnitude = f.magnitude(a), fraction = magnitude & ((1ull << f.mantissa) - 1);
  const int field = static_cast<int>(magnitude >> f.mantissa);
  return {f.negative(a), field ? fraction | 1ull << f.mantissa : fraction,
          (field ? field : 1) - f.bias - f.mantissa};
}

inline u64 round(const Format& f, const Exact& x) {
  const u64 sign = x.negative ? f.sign() : 0;
  if (x.significand == 0) return sign;
  const int lowest = 1 - f.bias - f.mantissa;
  const int quantum = std::max(top_bit(x.significand) + x.exponent - f.mantissa, lowest);
  const int cut = quantum - x.exponent;
  u128 n = 0;
  if (cut <= 0) {
    n = x.significand << -cut;
  } else if (cut < 128) {
    n = x.significand >> cut;
    const u128 rest = x.significand - (n << cut), half = u128{1} << (cut - 1);
    if (rest > half || (rest == half && (n & 1))) ++n;
  }  // else less than half of the smallest number
  // n counts quanta; a carry goes into the exponent by itself.
  const u64 code = static_cast<u64>(n) + (static_cast<u64>(quantum - lowest) << f.mantissa);
  return sign | std::min(code, f.infinity());
}

/// Bits shifted out are kept as the lowest.
inline u128 shifted(u128 x, int by) {
  if (by > 127) return x != 0;
  return x >> by | ((x & ((u128{1} << by) - 1)) != 0);
}

/// The sum of two numbers of up to 106 bits.
inline Exact sum(Exact a, Exact b) {
  if (a.significand == 0 || b.significand == 0) {
    if (a.significand == 0 && b.significand == 0) return {a.negative && b.negative, 0, 0};
    return a.significand ? a : b;
  }
  for (Exact* x : {&a, &b}) {  // the top bit is bit 125: room for a carry
    const int left = 125 - top_bit(x->significand);
    x->significand <<= left;
    x->exponent -= left;
  }
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand))
    std::swap(a, b);
  const u128 smaller = shifted(b.significand, a.exponent - b.exponent);
  if (a.negative == b.negative) return {a.negative, a.significand + smaller, a.exponent};
  const u128 difference = a.significand - smaller;
  return {difference != 0 && a.negative, difference, a.exponent};
}
inline Exact product(const Exact& a, const Exact& b) {
  return {a.negative != b.negative, a.significand * b.significand, a.exponent + b.exponent};
}

// Operations on bits. NaNs are the first operand's, as nan_of() says, or the default.

inline u64 multiply(const Format& f, u64 a, u64 b) {
  const u64 sign = (a ^ b) & f.sign();
  if (f.nan(a) || f.nan(b)) return nan_of(f, a, b);
  if (f.infinite(a) || f.infinite(b))
    return f.zero(a) || f.zero(b) ? f.default_nan() : sign | f.infinity();
  return round(f, product(unpack(f, a), unpack(f, b)));
}
inline u64 fma(const Format& f, u64 a, u64 b, u64 c) {
  if (f.nan(a) || f.nan(b) || f.nan(c)) return nan_of(f, a, b, c);
  if (f.infinite(a) || f.infinite(b)) {
    const u64 p = multiply(f, a, b);
    return f.nan(p) || (f.infinite(c) && c != p) ? f.default_nan() : p;
  }
  if (f.infinite(c)) return c;
  return round(f, sum(product(unpack(f, a), unpack(f, b)), unpack(f, c)));
}
inline u64 add(const Format& f, u64 a, u64 b) {
  if (f.nan(a) || f.nan(b)) return nan_of(f, a, b);
  return fma(f, a, static_cast<u64>(f.bias) << f.mantissa, b);  // times 1
}
inline u64 subtract(const Format& f, u64 a, u64 b) {
  return add(f, a, f.nan(b) ? b : b ^ f.sign());
}
/// Of numbers other than zeros.
inline Exact quotient(const Format& f, u64 a, u64 b) {
  const Exact x = unpack(f, a), y = unpack(f, b);
  // At least 120 - 53 bits, and whether there is a rest.
  const int left = 120 - top_bit(x.significand);
  const u128 numerator = x.significand << left, whole = numerator / y.significand;
  return {x.negative != y.negative, whole | (numerator % y.significand != 0),
          x.exponent - left - y.exponent};
}
/// Of NaNs any NaN.
inline u64 divide(const Format& f, u64 a, u64 b) {
  const u64 sign = (a ^ b) & f.sign();
  if (f.nan(a) || f.nan(b)) return f.default_nan();
  if (f.infinite(a) || f.zero(b))
    return f.infinite(b) || f.zero(a) ? f.default_nan() : sign | f.infinity();
  if (f.infinite(b) || f.zero(a)) return sign;
  return round(f, quotient(f, a, b));
}
/// Whether a quotient lies right between two numbers, which then are denormal.
inline bool quotient_is_halfway(const Format& f, u64 a, u64 b) {
  for (const u64 x : {a, b})
    if (f.nan(x) || f.infinite(x) || f.zero(x)) return false;
  const Exact q = quotient(f, a, b);
  const int cut = 1 - f.bias - f.mantissa - q.exponent;
  if (cut < 1 || cut > 127) return false;
  return (q.significand & ((u128{1} << cut) - 1)) == u128{1} << (cut - 1);
}
inline u64 root(const Format& f, u64 a) {
  if (f.nan(a) || (f.negative(a) && !f.zero(a))) return f.default_nan();
  if (f.infinite(a) || f.zero(a)) return a;
  const Exact x = unpack(f, a);
  int left = 124 - top_bit(x.significand);
  left -= (x.exponent - left) & 1;
  u128 rest = x.significand << left, n = 0;
  for (u128 bit = u128{1} << 124; bit; bit >>= 2) {  // digit by digit: the root of 62 bits
    if (rest >= n + bit) {
      rest -= n + bit;
      n = n >> 1 | bit;
    } else {
      n >>= 1;
    }
  }
  return round(f, {false, n << 1 | (rest != 0), (x.exponent - left) / 2 - 1});
}

}  // namespace hipsight::test::soft
