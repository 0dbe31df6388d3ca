#pragma once
// Dot products of 16-bit floats as RDNA3 and RDNA4 form them. Products are exact; all terms are cut
// to one grid below the largest exponent and added as integers, and the sum is rounded once, to
// nearest even whatever MODE says. Measured on gfx1151 (ROCm/rocm-systems#12056: finite f32
// results), and on gfx1100 and gfx1201 by the authors of AMD's emulator (the rest: #12120).

#include <bit>

#include "engine/interpret/registers.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

enum class DotSum { Rdna3, Rdna4 };

template <int N>
struct RdnaDot {
  using Bits = Vec<std::uint32_t, N>;
  using Ints = Vec<std::int32_t, N>;
  using Floats = Vec<float, N>;

  static constexpr std::int32_t nowhere = -1024;  ///< the exponent of a zero
  static constexpr std::int32_t least_f32 = -126, least_f16 = -14;
  static constexpr std::uint32_t infinity = 0x7f800000, quiet = 0x400000;
  static constexpr std::uint32_t factor_nan = 0xffc00a3d, invalid_nan = 0xffc00000;

  static Ints ints(Bits u) { return std::bit_cast<Ints>(u); }
  static Bits bits(Ints i) { return std::bit_cast<Bits>(i); }

  /// The highest bit of numbers below 2^24; of 0 something below 0.
  static Ints top_bit(Bits u) {
    return (ints(std::bit_cast<Bits>(__builtin_convertvector(ints(u), Floats))) >> 23) - 127;
  }

  /// A whole number times 2^exponent; `negative` is -1 or 0.
  struct Term {
    Bits magnitude;
    Ints exponent, negative;

    Ints leading() const { return magnitude == 0 ? Ints(nowhere) : exponent + top_bit(magnitude); }
    /// In units of 2^grid, cut towards zero.
    Bits cut(Ints grid) const {
      const Ints up = exponent - grid, none = 0, most = 31;
      const Ints left = __builtin_elementwise_min(__builtin_elementwise_max(up, none), most);
      const Ints right = __builtin_elementwise_min(__builtin_elementwise_max(-up, none), most);
      return magnitude << bits(left) >> bits(right);
    }
    /// In units of 2^grid, cut downwards; a small one is 0 if nothing is left of it.
    Ints floor(Ints grid, Ints drops_small) const {
      const Bits kept = cut(grid);
      const Ints none = 0, most = 31;
      const Ints right =
          __builtin_elementwise_min(__builtin_elementwise_max(grid - exponent, none), most);
      const Ints loses = (kept << bits(right) != magnitude) & (exponent < grid);
      const Ints one_more = loses & ((kept != 0) | ~drops_small);
      // -kept - 1 where it loses bits: one_more is -1.
      return negative ? -ints(kept) + one_more : ints(kept);
    }
  };

  /// A factor, from its f32.
  template <DotSum sum, class T>
  struct Factor {
    static constexpr bool is_f16 = std::is_same_v<T, isa::f16>;
    static constexpr int fraction = is_f16 ? 10 : 7;
    static constexpr std::int32_t least = is_f16 ? least_f16 : least_f32;

    Bits word;

    Ints is_nan() const { return (word & 0x7fffffff) > infinity; }
    Ints is_infinite() const { return (word & 0x7fffffff) == infinity; }
    Ints negative() const { return ints(word) >> 31; }
    Ints exponent_field() const { return ints(word >> 23 & 255); }
    /// Denormals of f16 are normal numbers of f32; RDNA3 takes those of bf16 for zeros.
    Bits significand() const {
      const Bits denormal = sum == DotSum::Rdna3 ? Bits(0) : (word & 0x7fffff) >> (23 - fraction);
      const Bits normal = ((word & 0x7fffff) | 0x800000) >> (23 - fraction);
      return exponent_field() == 0 ? denormal : normal;
    }
    Ints exponent() const {
      const Ints one = 1;
      return __builtin_elementwise_max(exponent_field(), one) - 127;
    }
    /// Of its format, where denormals have that of the smallest normal number.
    Ints own_exponent() const {
      const Ints smallest = least;
      return __builtin_elementwise_max(exponent(), smallest);
    }
    Term times(const Factor& other) const {
      return {significand() * other.significand(), exponent() + other.exponent() - 2 * fraction,
              negative() ^ other.negative()};
    }
  };

  /// value / 2^by, rounded to nearest even.
  static Bits shift(Bits value, Ints by) {
    const Ints none = 0, most = 31;
    const Bits left = bits(__builtin_elementwise_min(__builtin_elementwise_max(-by, none), most));
    const Bits right = bits(__builtin_elementwise_min(__builtin_elementwise_max(by, none), most));
    const Bits half = (Bits(1) << right) >> 1;
    const Bits rounded = (value + half - (right == 0 ? Bits(0) : Bits(1)) +
                          (right == 0 ? Bits(0) : value >> right & 1)) >>
                         right;
    return by <= 0 ? value << left : by > 30 ? Bits(0) : rounded;
  }

  /// units * 2^grid, of less than 2^30 units, as f32 bits. RDNA3 has no denormals.
  template <DotSum sum>
  static Bits to_f32(Ints units, Ints grid, Ints frame_negative) {
    const auto [magnitude, sign, top] = split(units, frame_negative);
    const Ints exponent = top + grid;
    const Bits significand = shift(magnitude, top - 23);
    // A carry out of the significand goes on into the exponent's field.
    const Ints carried = exponent + (ints(significand) >> 24);
    const Bits normal = carried > 127 ? Bits(infinity) : (bits(exponent + 126) << 23) + significand;
    Bits result = carried < least_f32 ? Bits(0) : sign | normal;
    if constexpr (sum == DotSum::Rdna4) {
      const Bits denormal = shift(magnitude, -149 - grid);
      result = exponent < least_f32 ? (denormal == 0 ? Bits(0) : sign | denormal) : result;
    }
    return units == 0 ? Bits(0) : result;
  }
  static Bits to_f16(Ints units, Ints grid, Ints frame_negative) {
    const auto [magnitude, sign, top] = split(units, frame_negative);
    const Ints exponent = top + grid;
    const Bits significand = shift(magnitude, top - 10), denormal = shift(magnitude, -24 - grid);
    const Ints carried = exponent + (ints(significand) >> 11);
    const Bits normal = carried > 15 ? Bits(0x7c00) : (bits(exponent + 14) << 10) + significand;
    const Bits small = denormal == 0 ? Bits(0) : sign >> 16 | denormal;
    const Bits result = exponent < least_f16 ? small : sign >> 16 | normal;
    return units == 0 ? Bits(0) : result;
  }

  /// NaNs and infinities as 16-bit results have them.
  template <class T>
  static Bits narrowed(Bits special) {
    if constexpr (std::is_same_v<T, isa::bf16>)
      return special == factor_nan ? Bits(0xfffd) : special >> 16;
    const Bits half = (special >> 16 & 0x8000) | 0x7c00 | (special >> 13 & 1023);
    return special == factor_nan ? Bits(0xfe3d) : half;
  }

  /// c + a[0] b[0] + a[1] b[1] + ..., of factors and a c that are f32; the result is f32 bits, or
  /// the bits of a T. RDNA3 takes c's sign for positive: a term of the other sign is one unit of
  /// the grid further from zero, even a zero.
  template <DotSum sum, class T, bool narrow, int Count>
  static Bits dot(const Floats (&a)[Count], const Floats (&b)[Count], Floats addend) {
    using F = Factor<sum, T>;
    const Bits c_bits = std::bit_cast<Bits>(addend);
    Ints nan = 0, invalid = 0, plus = 0, minus = 0;
    Term product[Count];
    Ints grid_of[Count], grid = nowhere;
    for (int i = 0; i < Count; ++i) {
      const F x{std::bit_cast<Bits>(a[i])}, y{std::bit_cast<Bits>(b[i])};
      nan |= x.is_nan() | y.is_nan();
      invalid |=
          (x.is_infinite() & (y.significand() == 0)) | (y.is_infinite() & (x.significand() == 0));
      product[i] = x.times(y);
      const Ints infinite = x.is_infinite() | y.is_infinite();
      minus |= infinite & product[i].negative;
      plus |= infinite & ~product[i].negative;
      grid_of[i] =
          product[i].magnitude == 0 ? Ints(nowhere) : x.own_exponent() + y.own_exponent() - 24;
      grid = __builtin_elementwise_max(grid, grid_of[i]);
    }
    invalid |= plus & minus;
    const Ints c_nan = (c_bits & 0x7fffffff) > infinity;
    plus |= c_bits == infinity;
    minus |= c_bits == (infinity | 0x80000000);

    const Ints c_field = ints(c_bits >> 23 & 255), one = 1;
    const Bits c_fraction = c_bits & 0x7fffff;
    const Bits c_denormal = sum == DotSum::Rdna3 ? Bits(0) : c_fraction;
    const Term c{c_field == 0 ? c_denormal : c_fraction | 0x800000,
                 __builtin_elementwise_max(c_field, one) - 150, ints(c_bits) >> 31};
    constexpr bool to_half = narrow && std::is_same_v<T, isa::f16>;
    Ints total, frame = 0;
    if constexpr (sum == DotSum::Rdna3) {
      static_assert(Count == 2);
      const Ints least = least_f16;
      Ints leading = c.leading();
      if constexpr (to_half) leading = __builtin_elementwise_max(leading, least);
      Bits any = c.magnitude;
      for (const Term& p : product) {
        leading = __builtin_elementwise_max(leading, p.leading());
        any |= p.magnitude;
      }
      grid = __builtin_elementwise_max(grid, leading - 26);
      frame = c.negative;
      total = ints(c.cut(grid));
      for (const Term& p : product) total += ints(p.cut(grid)) ^ p.negative ^ frame;
      total = any == 0 ? Ints(0) : total;
    } else {
      // Products are added by pairs first, each pair on a grid of its own.
      const Ints least = to_half ? least_f16 : least_f32, no = 0;
      grid = __builtin_elementwise_max(grid, __builtin_elementwise_max(least, c.leading()) - 26);
      total = c.floor(grid, grid > least);
      for (int i = 0; i < Count; i += 2) {
        const Ints own = __builtin_elementwise_max(grid_of[i], grid_of[i + 1]);
        const Ints pair = product[i].floor(own, no) + product[i + 1].floor(own, no);
        total += Term{bits(__builtin_elementwise_abs(pair)), own, pair >> 31}.floor(grid, no);
      }
    }
    Bits special = plus & minus ? Bits(invalid_nan)
                   : minus      ? Bits(infinity | 0x80000000)
                                : Bits(infinity);
    special = c_nan ? c_bits | quiet : special;
    special = invalid ? Bits(invalid_nan) : special;
    special = nan ? Bits(factor_nan) : special;
    const Ints is_special = nan | invalid | c_nan | plus | minus;
    if constexpr (!narrow) {
      return is_special ? special : to_f32<sum>(total, grid, frame);
    } else {
      // bf16 is the f32 result, cut.
      const Bits rounded =
          to_half ? to_f16(total, grid, frame) : to_f32<sum>(total, grid, frame) >> 16;
      return is_special ? narrowed<T>(special) : rounded;
    }
  }

 private:
  struct Split {
    Bits magnitude, sign;
    Ints top;
  };
  static Split split(Ints units, Ints frame_negative) {
    const Bits magnitude = bits(__builtin_elementwise_abs(units));
    const Ints high = top_bit(magnitude >> 8) + 8;
    return {magnitude, bits((units >> 31) ^ frame_negative) & 0x80000000,
            magnitude >= 1 << 24 ? high : top_bit(magnitude)};
  }
};

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
