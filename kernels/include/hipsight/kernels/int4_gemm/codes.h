// Weights in 4 bits: as what they lie in memory, and what they are worth.
#pragma once

#include <cmath>

#include "../convert.h"

namespace hipsight::kernels {

/// The type of a weight in memory: half a byte, that stands for a Value.
template <class Value>
struct Int4 {};

inline constexpr int int4_chunk = 32;  // weights in 16 bytes

/// What the codes of a group are worth: (code - zero) * scale.
template <class Value>
struct alignas(4) Int4Factors {
  Value scale, zero;
};

/// 32 weights of a group. Of each 8 in a word the pairs (0, 1), (2, 3), ... are 16 bits apart: the
/// bits of weight 2 i are 4 i to 4 i + 3, those of 2 i + 1 are 16 more. So two at a time become
/// numbers of 16 bits.
template <class Value>
struct Int4Chunk {
  Vector<std::uint32_t, 4> codes;
  std::uint32_t factors;  // Int4Factors

  /// To Value's nearest; half goes to the even one in f16, away from zero in bf16, which has no
  /// instruction for that on most GPUs. A number's lowest bits are the code, below a constant that
  /// is as much as they may be worth: f16's 1024, bf16's 128.
  template <class Wide>
  HIPSIGHT_INLINE Vector<Value, int4_chunk> widened() const {
    static_assert(std::is_same_v<Wide, Value>, "Int4Chunk: the tile must be of the weights' type");
    constexpr bool half = std::is_same_v<Value, f16>;
    constexpr std::uint32_t above = half ? 0x64006400 : 0x43004300;
    const auto known = __builtin_bit_cast(Int4Factors<Value>, factors);
    Vector<std::uint32_t, int4_chunk / 2> pairs;
    HIPSIGHT_UNROLL
    for (int i = 0; i < int4_chunk / 2; i++) {
      const std::uint32_t bits = (codes[i / 4] >> 4 * (i % 4) & 0x000f000f) | above;
      if constexpr (half) {
        auto pair = __builtin_bit_cast(Vector<f16, 2>, bits);
        const f16 least = static_cast<f16>(1024) + known.zero;
        HIPSIGHT_UNROLL
        for (int k = 0; k < 2; k++) pair[k] = (pair[k] - least) * known.scale;
        pairs[i] = __builtin_bit_cast(std::uint32_t, pair);
      } else {
        // (128 + code) scale - (128 + zero) scale, exactly: bf16's products have 16 bits.
        const float scale = static_cast<float>(known.scale),
                    none = -(128 + static_cast<float>(known.zero)) * scale;
        const float low = fmaf(__builtin_bit_cast(float, bits << 16), scale, none),
                    high = fmaf(__builtin_bit_cast(float, bits & 0xffff0000), scale, none);
        pairs[i] = (__builtin_bit_cast(std::uint32_t, low) + 0x8000) >> 16 |
                   ((__builtin_bit_cast(std::uint32_t, high) + 0x8000) & 0xffff0000);
      }
    }
    using Values = Vector<Value, int4_chunk>;
    return __builtin_bit_cast(Values, pairs);
  }
};

template <class Value>
inline constexpr int chunk_size<Int4<Value>> = int4_chunk;

namespace detail {
template <class Value>
struct VectorOf<Int4<Value>, int4_chunk> {
  using Type = Int4Chunk<Value>;
};
}  // namespace detail

inline constexpr int int4_lines = 32;  // columns of B that lie side by side in memory

/// Where a chunk is: of 32 columns the first chunks, then the second ones, and so on; factors
/// alike. So a wave reads what lies side by side.
HIPSIGHT_INLINE constexpr std::int64_t int4_place(int column, int number, int of_column) {
  return (static_cast<std::int64_t>(column / int4_lines) * of_column + number) * int4_lines +
         column % int4_lines;
}

/// Columns of B in a tile, as GlobalTile has rows: beyond the bounds weights are 0. A tile begins
/// at a multiple of 32 of the depth. Its columns are whole blocks of 32, or a part of one.
template <class Value>
struct Int4Tile {
  using Plain = Int4<Value>;

  const std::uint32_t* data;  // 8 weights each
  const std::uint32_t* factors;
  int rows, columns;   // of weights, from here on
  int chunks, groups;  // of a row
  int group_bits;      // a group has 1 << group_bits weights
  int depth = 0;       // of `data`, in its row

  HIPSIGHT_INLINE Int4Tile from(int row, int column) const {
    return {data + int4_place(row, column / int4_chunk, chunks) * words,
            factors + int4_place(row, 0, groups),
            rows - row,
            columns - column,
            chunks,
            groups,
            group_bits,
            depth + column};
  }

  /// Rows are whole chunks.
  template <int Count>
  HIPSIGHT_INLINE bool takes_vectors(int) const {
    return true;
  }

  /// Bytes from `data` on that belong to rows.
  HIPSIGHT_INLINE std::uint32_t limit(int tile_rows) const {
    return limit(tile_rows, chunks * words);
  }

  template <int Count, bool inside = false>
  HIPSIGHT_INLINE Int4Chunk<Value> load(int row, int column, int tile_rows) const {
    return load_below<Count, inside>(row, column, limit(tile_rows));
  }
  /// Of a tile whose limit() is known, or 0: then there is nothing.
  template <int Count, bool inside = false>
  HIPSIGHT_INLINE Int4Chunk<Value> load_below(int row, int column, std::uint32_t below) const {
    static_assert(Count == int4_chunk, "Int4Tile: weights are read in chunks of 32");
    const auto chunk = static_cast<std::uint32_t>(int4_place(row, column / int4_chunk, chunks)),
               group = static_cast<std::uint32_t>(
                   int4_place(row, (depth + column) >> group_bits, groups));
    const std::uint32_t far = 1u << 31;  // beyond all limits
    const bool exists = inside || column < columns;
    return {arch::load<Vector<std::uint32_t, 4>>(data, exists ? chunk * 16 : far, below),
            arch::load<std::uint32_t>(factors, exists ? group * 4 : far,
                                      below ? limit(most_rows, groups) : 0)};
  }
  template <int Count>
  HIPSIGHT_INLINE Int4Chunk<Value> load_any(int row, int column, int tile_rows) const {
    return load<Count>(row, column, tile_rows);
  }

 private:
  static constexpr int words = int4_chunk / 8;
  static constexpr int most_rows = 256;  // of a tile
  /// Of whole blocks of 32 rows, as a tile may begin inside of one.
  HIPSIGHT_INLINE std::uint32_t limit(int tile_rows, int of_row) const {
    const int count = rows < tile_rows ? rows : tile_rows;
    const int whole = (count + int4_lines - 1) / int4_lines * int4_lines;
    return count > 0 ? static_cast<std::uint32_t>(whole) * of_row * 4 : 0;
  }
};

}  // namespace hipsight::kernels
