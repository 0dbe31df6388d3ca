#pragma once
// What matrix instructions share: element types, and the product of tiles.

#include <array>
#include <bit>
#include <cmath>

#include "engine/interpret/memory/accesses.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

// --- element types ------------------------------------------------------------------------------

/// Float of an 8-bit float: `exponent_bits` of exponent; fnuz has one NaN (0x80), no -0, no
/// infinities, and a bias one higher; OCP's e4m3 has no infinities.
inline float widen_f8(std::uint32_t byte, unsigned exponent_bits, bool fnuz) {
  const unsigned mantissa_bits = 7 - exponent_bits;
  const std::uint32_t sign = byte >> 7 & 1,
                      exponent = byte >> mantissa_bits & ((1u << exponent_bits) - 1);
  const std::uint32_t mantissa = byte & ((1u << mantissa_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - (fnuz ? 0 : 1);
  if (fnuz && byte == 0x80) return std::bit_cast<float>(0x7fc00000u);
  if (!fnuz && exponent == (1u << exponent_bits) - 1) {
    const bool e5m2 = exponent_bits == 5;
    if (e5m2 && mantissa == 0) return sign ? -INFINITY : INFINITY;
    if (e5m2 || mantissa == (1u << mantissa_bits) - 1) return std::bit_cast<float>(0x7fc00000u);
  }
  const float magnitude =
      exponent == 0
          ? std::ldexp(static_cast<float>(mantissa), 1 - bias - static_cast<int>(mantissa_bits))
          : std::ldexp(static_cast<float>(mantissa | 1u << mantissa_bits),
                       static_cast<int>(exponent) - bias - static_cast<int>(mantissa_bits));
  return sign ? -magnitude : magnitude;
}

// Each widens elements that lie in the low bits of a lane's word, the other bits being 0.
// `min_exponent` is that of the smallest normal number.

template <int N>
using Words = Vec<std::uint32_t, N>;
template <int N>
using Floats = Vec<float, N>;

struct F32 {
  using Value = float;
  static constexpr unsigned bits = 32;
  template <int N>
  static Floats<N> widen(Words<N> u) {
    return std::bit_cast<Floats<N>>(u);
  }
};
struct XF32 {  // f32 operands cut to 10 mantissa bits (measured: MMA-Sim, arXiv 2511.10909)
  using Value = float;
  static constexpr unsigned bits = 32;
  static constexpr int min_exponent = -126;
  template <int N>
  static Floats<N> widen(Words<N> u) {
    const auto nan = (u & 0x7fffffff) > 0x7f800000;  // one that lies in the bits cut off stays one
    return std::bit_cast<Floats<N>>(nan ? u | 0x400000 : u & ~0x1fffu);
  }
};
struct F16 {
  using Value = float;
  static constexpr unsigned bits = 16;
  static constexpr int min_exponent = -14;
  template <int N>
  static Floats<N> widen(Words<N> u) {
#ifdef __F16C__
    // Signaling NaNs become quiet: of a NaN, results keep nothing else.
    const auto half = __builtin_convertvector(u, Vec<std::uint16_t, N>);
    return __builtin_convertvector(std::bit_cast<Vec<_Float16, N>>(half), Floats<N>);
#else
    return widen_half<N>(u);
#endif
  }
};
struct BF16 {
  using Value = float;
  static constexpr int min_exponent = -126;
  static constexpr unsigned bits = 16;
  template <int N>
  static Floats<N> widen(Words<N> u) {
    return std::bit_cast<Floats<N>>(u << 16);
  }
};
template <unsigned ExponentBits, bool Fnuz>
struct F8 {
  using Value = float;
  static constexpr unsigned bits = 8, mantissa_bits = 7 - ExponentBits;
  static constexpr int bias = (1 << (ExponentBits - 1)) - (Fnuz ? 0 : 1);
  static constexpr int min_exponent = 1 - bias;
  /// As widen_f8 has it.
  template <int N>
  static Floats<N> widen(Words<N> u) {
    const Words<N> magnitude = u & 0x7f;
    Words<N> r = (magnitude << (23 - mantissa_bits)) + ((127 - bias) << 23);
    const auto denormal =
        __builtin_convertvector(std::bit_cast<Vec<std::int32_t, N>>(magnitude), Floats<N>) *
        std::bit_cast<float>((127 + min_exponent - int{mantissa_bits}) << 23);
    r = magnitude < (1u << mantissa_bits) ? std::bit_cast<Words<N>>(denormal) : r;
    r |= (u & 0x80) << 24;
    constexpr std::uint32_t nan = 0x7fc00000;
    if constexpr (Fnuz) {
      r = u == 0x80 ? Words<N>(nan) : r;
    } else if constexpr (ExponentBits == 4) {
      r = magnitude == 0x7f ? Words<N>(nan) : r;
    } else {
      r = magnitude == 0x7c ? (r & 0x80000000u) | 0x7f800000 : r;
      r = magnitude > 0x7c ? Words<N>(nan) : r;
    }
    return std::bit_cast<Floats<N>>(r);
  }
};
template <unsigned Bits, bool Signed>
struct Integer {
  using Value = std::int32_t;
  static constexpr unsigned bits = Bits;
  template <int N>
  static Vec<std::int32_t, N> widen(Words<N> u) {
    const auto word = std::bit_cast<Vec<std::int32_t, N>>(u);
    return Signed ? word << (32 - Bits) >> (32 - Bits) : word;
  }
};
using I8 = Integer<8, true>;
using U8 = Integer<8, false>;
using I4 = Integer<4, true>;
using U4 = Integer<4, false>;

/// Elements of an operand, of the first `count` lanes, a multiple of 16: out[element][lane].
template <class T, unsigned PerLane>
inline void widen_all(const std::uint32_t* registers, unsigned lanes, typename T::Value (*out)[64],
                      unsigned count) {
  constexpr unsigned per_word = 32 / T::bits;
  for (unsigned e = 0; e < PerLane; ++e) {
    for (unsigned lane = 0; lane < count; lane += 16) {
      U32x16 word =
          load_slice(reinterpret_cast<const std::byte*>(registers + e / per_word * lanes + lane));
      if constexpr (per_word > 1) word = word >> (e % per_word * T::bits) & ((1u << T::bits) - 1);
      const auto value = T::template widen<16>(word);
      std::memcpy(&out[e][lane], &value, sizeof value);
    }
  }
}

/// a * b + c: of floats with one rounding, of integers modulo 2^32.
template <class V>
inline V multiply_add(V a, V b, V c) {
  if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(a[0])>>) {
    return a * b + c;
  } else {
#ifdef __FMA__
    return __builtin_elementwise_fma(a, b, c);
#else
    constexpr int width = sizeof(V) / sizeof(a[0]);
    if constexpr (std::is_same_v<V, Vec<float, width>>) return fma_emulated<width>(a, b, c);
    for (int l = 0; l < width; ++l) c[l] = std::fma(a[l], b[l], c[l]);
    return c;
#endif
  }
}

/// d(i)[j] = c(i)[j] + a(k)[i] * b(k)[j] summed over k in order, i below M, j below N. Each
/// function gives a row in memory; d(i) may be c(i), but otherwise the rows are apart, and each
/// eight rows from a multiple of eight lie as the first eight do. NaNs among floats become the
/// positive quiet one.
///
/// A block of sums stays in host registers: enough of them to hide the latency of FMAs, and two
/// columns where they fit, since each element of A that is read then serves two FMAs. Inlined, so
/// that the places of all rows are constants.
template <class T, unsigned M, unsigned N, unsigned K, class A, class B, class C, class D>
[[gnu::always_inline]] inline void multiply(A a, B b, C c, D d) {
  constexpr int width = N % 16 == 0 ? 16 : 4;
  using V = Vec<T, width>;
#ifdef __AVX512F__
  constexpr unsigned columns = N % 32 == 0 ? 2 : 1, most_rows = columns == 2 ? 8 : 16;
#else
  constexpr unsigned columns = 1, most_rows = 4;  // eight registers of AVX2
#endif
  constexpr unsigned rows = M < most_rows ? M : most_rows;
  for (unsigned i = 0; i < M; i += rows) {
    for (unsigned j = 0; j < N; j += width * columns) {
      const auto at = [&](const auto& row, unsigned r, unsigned column) {
        return row(i) + (row(r) - row(0)) + j + column * width;
      };
      V sum[rows][columns];
#pragma clang loop unroll(full)
      for (unsigned r = 0; r < rows; ++r)
        for (unsigned column = 0; column < columns; ++column)
          std::memcpy(&sum[r][column], at(c, r, column), sizeof(V));
#pragma clang loop unroll(full)
      for (unsigned k = 0; k < K; ++k) {
        V right[columns];
        std::memcpy(right, b(k) + j, sizeof right);
#pragma clang loop unroll(full)
        for (unsigned r = 0; r < rows; ++r)
          for (unsigned column = 0; column < columns; ++column)
            sum[r][column] = multiply_add(V(a(k)[i + r]), right[column], sum[r][column]);
      }
      if constexpr (std::is_same_v<T, float>) {
        const V nan = std::bit_cast<float>(0x7fc00000u);
        for (auto& row : sum)
          for (V& v : row) v = v == v ? v : nan;
      }
#pragma clang loop unroll(full)
      for (unsigned r = 0; r < rows; ++r)
        for (unsigned column = 0; column < columns; ++column)
          std::memcpy(at(d, r, column), &sum[r][column], sizeof(V));
    }
  }
}

/// C's registers, or a copy where they overlap the result's without being the same.
template <class T>
inline const T* apart(const T* c, const T* d, std::size_t count, T* copy) {
  if (c == d || c >= d + count || d >= c + count) return c;
  std::memcpy(copy, c, count * sizeof *copy);
  return copy;
}

inline std::uint32_t positive_nan(std::uint32_t bits) {
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits;
}

inline std::uint32_t* registers_of(Wave& w, const Op* op, unsigned i) {
  return reinterpret_cast<std::uint32_t*>(source(w, op, static_cast<int>(i)));
}

/// How lanes 32 and up of wave64 share the registers of WMMA's operands: they hold the upper half
/// of what wave32 has in a lane, or its odd registers, or nothing that counts.
enum class Spread { Halves, Odd, Nothing };

/// Registers as wave32 has them: lane l of register r at [r * 32 + l].
template <unsigned Registers>
class Wave32Registers {
 public:
  Wave32Registers(const Wave& w, std::uint32_t* registers, Spread spread)
      : registers_(registers), spread_(Registers == 1 ? Spread::Nothing : spread) {
    if (w.lanes == lanes) return;
    data_ = copy_;
    each([](std::uint32_t& mine, const std::uint32_t& its) { mine = its; });
  }
  Wave32Registers(const Wave32Registers&) = delete;
  Wave32Registers& operator=(const Wave32Registers&) = delete;

  std::uint32_t* data() { return data_ ? data_ : registers_; }
  /// To the wave's registers, where they are others.
  void write_back() {
    if (data_) each([](const std::uint32_t& mine, std::uint32_t& its) { its = mine; });
  }

 private:
  static constexpr unsigned lanes = 32;

  template <class Use>
  void each(Use use) {
    for (unsigned r = 0; r < Registers; ++r) {
      const unsigned half = Registers / 2;
      const bool upper = spread_ == Spread::Halves ? r >= half : spread_ == Spread::Odd && r % 2;
      const unsigned from = spread_ == Spread::Halves ? r - (upper ? half : 0)
                            : spread_ == Spread::Odd  ? r / 2
                                                      : r;
      for (unsigned lane = 0; lane < lanes; ++lane)
        use(copy_[r * lanes + lane], registers_[from * 2 * lanes + (upper ? lanes : 0) + lane]);
    }
  }

  std::uint32_t* registers_;
  Spread spread_;
  std::uint32_t* data_ = nullptr;
  std::uint32_t copy_[Registers * lanes];
};
template <class T, unsigned PerLane>
using Wave32Operand = Wave32Registers<PerLane * T::bits / 32>;

/// Lane and register of an element of MFMA's result.
struct MatrixPlace {
  unsigned r, lane;
};
template <unsigned M>
constexpr MatrixPlace mfma_place(unsigned block, unsigned row, unsigned column) {
  if constexpr (M == 32)
    return {block * 16 + row / 8 * 4 + row % 4, row / 4 % 2 * 32 + column};
  else if constexpr (M == 16)
    return {block * 4 + row % 4, row / 4 * 16 + column};
  else
    return {row, block * 4 + column};
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
