#pragma once
// What matrix instructions share: element types, and the product of tiles.

#include <array>
#include <bit>
#include <cmath>

#include "engine/level/memory.h"

namespace hipsight::engine::HIPSIGHT_LEVEL {

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

// `min_exponent` is that of the smallest normal number.

struct F32 {
  using Value = float;
  static constexpr unsigned bits = 32;
  static float widen(std::uint32_t u) { return std::bit_cast<float>(u); }
};
struct XF32 {  // f32 operands cut to 10 mantissa bits (measured: MMA-Sim, arXiv 2511.10909)
  using Value = float;
  static constexpr unsigned bits = 32;
  static constexpr int min_exponent = -126;
  static float widen(std::uint32_t u) {
    const bool nan = (u & 0x7fffffff) > 0x7f800000;  // one that lies in the bits cut off stays one
    return std::bit_cast<float>(nan ? u | 0x400000 : u & ~0x1fffu);
  }
};
struct F16 {
  using Value = float;
  static constexpr unsigned bits = 16;
  static constexpr int min_exponent = -14;
};
struct BF16 {
  using Value = float;
  static constexpr int min_exponent = -126;
  static constexpr unsigned bits = 16;
  static float widen(std::uint32_t u) { return std::bit_cast<float>(u << 16); }
};
template <unsigned ExponentBits, bool Fnuz>
struct F8 {
  using Value = float;
  static constexpr unsigned bits = 8;
  static constexpr int min_exponent = 2 - (1 << (ExponentBits - 1)) - (Fnuz ? 1 : 0);
  static float widen(std::uint32_t u) {
    static const auto table = [] {
      std::array<float, 256> t{};
      for (unsigned i = 0; i < 256; ++i) t[i] = widen_f8(i, ExponentBits, Fnuz);
      return t;
    }();
    return table[u & 0xff];
  }
};
struct I8 {
  using Value = std::int32_t;
  static constexpr unsigned bits = 8;
  static std::int32_t widen(std::uint32_t u) { return static_cast<std::int8_t>(u); }
};
struct U8 {
  using Value = std::int32_t;
  static constexpr unsigned bits = 8;
  static std::int32_t widen(std::uint32_t u) { return static_cast<std::uint8_t>(u); }
};
struct I4 {
  using Value = std::int32_t;
  static constexpr unsigned bits = 4;
  static std::int32_t widen(std::uint32_t u) { return static_cast<std::int32_t>(u << 28) >> 28; }
};
struct U4 {
  using Value = std::int32_t;
  static constexpr unsigned bits = 4;
  static std::int32_t widen(std::uint32_t u) { return static_cast<std::int32_t>(u & 15); }
};

inline std::uint32_t element(const std::uint32_t* registers, unsigned lane, unsigned lanes,
                             unsigned index, unsigned bits) {
  const std::uint32_t word = registers[index * bits / 32 * lanes + lane];
  return bits == 32 ? word : word >> (index * bits % 32) & ((1u << bits) - 1);
}

/// All elements of an operand, lane by lane.
template <class T, unsigned PerLane>
inline void widen_all(const std::uint32_t* registers, unsigned lanes,
                      typename T::Value (*out)[64]) {
  for (unsigned e = 0; e < PerLane; ++e) {
    if constexpr (std::is_same_v<T, F16>) {
      for (unsigned s = 0; s < lanes; s += 16) {
        const U32x16 word =
            load_slice(reinterpret_cast<const std::byte*>(registers + e / 2 * lanes + s));
        const F32x16 value = widen_half<16>(word >> (e % 2 * 16) & 0xffff);
        std::memcpy(&out[e][s], &value, sizeof value);
      }
    } else {
      for (unsigned lane = 0; lane < lanes; ++lane)
        out[e][lane] = T::widen(element(registers, lane, lanes, e, T::bits));
    }
  }
}

/// acc[i][j] += a[i][k] * b[k][j], k in order.
template <class T, unsigned M, unsigned N, unsigned K>
inline void multiply(const T (&a)[K][M], const T (&b)[K][N], T (&acc)[M][N]) {
  constexpr unsigned width = N % 16 == 0 ? 16 : 4;
  using V = Vec<T, width>;
  constexpr unsigned columns = N / width;
  constexpr unsigned rows = 4;
  for (unsigned i = 0; i < M; i += rows) {
    for (unsigned c = 0; c < columns; ++c) {
      V sum[rows];
      for (unsigned r = 0; r < rows; ++r) std::memcpy(&sum[r], &acc[i + r][c * width], sizeof(V));
      for (unsigned k = 0; k < K; ++k) {
        V right;
        std::memcpy(&right, &b[k][c * width], sizeof right);
        for (unsigned r = 0; r < rows; ++r) {
          if constexpr (std::is_same_v<T, std::int32_t>) sum[r] += V(a[k][i + r]) * right;
#ifdef __FMA__
          else
            sum[r] = __builtin_elementwise_fma(V(a[k][i + r]), right, sum[r]);
#else
          else if constexpr (std::is_same_v<T, float>)
            sum[r] = fma_emulated<static_cast<int>(width)>(V(a[k][i + r]), right, sum[r]);
          else
            for (unsigned j = 0; j < width; ++j)
              sum[r][j] = std::fma(a[k][i + r], right[j], sum[r][j]);
#endif
        }
      }
      for (unsigned r = 0; r < rows; ++r) std::memcpy(&acc[i + r][c * width], &sum[r], sizeof(V));
    }
  }
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

}  // namespace hipsight::engine::HIPSIGHT_LEVEL
