// What operands in 8 bits are scaled by along their depth, inside the sum.
#pragma once

#include "../matrix.h"
#include "../tile/global_tile.h"
#include "../tile/register_tile.h"

namespace hipsight::kernels {

/// So much of the depth has a factor of its own.
inline constexpr int scale_block = 128;

/// An operand with a factor for each `scale_block` of its depth and each Lines of its lines (rows
/// of A, columns of B): element (line, d) counts as itself times factors[batch *
/// factor_batch_stride + line / Lines * factor_stride + d / scale_block].
template <class Given, int Lines>
struct BlockScaled : Given {
  static constexpr int factor_lines = Lines;
  const float* factors = nullptr;
  std::int64_t factor_stride = 0, factor_batch_stride = 0;
};

/// An A whose rows each have factors, as DeepSeek-V3 scales activations (arXiv 2412.19437, 3.3.2):
/// `factors` are M x ceil(K / 128), of `stride` a row.
template <class Given>
constexpr BlockScaled<Given, 1> scaled_rows(const Given& matrix, const float* factors,
                                            std::int64_t stride, std::int64_t batch_stride = 0) {
  return {matrix, factors, stride, batch_stride};
}
/// A B of which each block of 128 x 128 has a factor, as it scales weights: `factors` are
/// ceil(N / 128) x ceil(K / 128).
template <class Given>
constexpr BlockScaled<Given, scale_block> scaled_blocks(const Given& matrix, const float* factors,
                                                        std::int64_t stride,
                                                        std::int64_t batch_stride = 0) {
  return {matrix, factors, stride, batch_stride};
}

/// As kernels have it: one for A, and one for B.
struct Factors {
  const float* data;
  std::int64_t stride, batch_stride;
};
struct BlockScales {
  static constexpr bool used = true;
  Factors a, b;

  /// Those of a matrix of the batch, from a place of the depth on.
  HIPSIGHT_INLINE BlockScales of(int matrix, int depth) const {
    BlockScales part = *this;
    part.a.data += matrix * a.batch_stride + depth / scale_block;
    part.b.data += matrix * b.batch_stride + depth / scale_block;
    return part;
  }
};
struct NoScales {
  static constexpr bool used = false;
  HIPSIGHT_INLINE NoScales of(int, int) const { return {}; }
};

/// A wave's part of the result: one sum over all of the depth.
template <class Sum, class Scales, int Ahead>
struct ScaledSum {
  Sum all;
  /// The code for so many blocks is one straight line.
  static constexpr int group = 1;

  HIPSIGHT_INLINE ScaledSum(const Scales&, Place, Place, int) {}
  HIPSIGHT_INLINE void clear() { all.clear(); }
  HIPSIGHT_INLINE Sum& now() { return all; }
  HIPSIGHT_INLINE void end_block(int) {}
};

/// The same of operands with factors: each block of the depth has a sum of its own, which is added
/// with the factors of its rows and of its columns, which are all in one block of B. The factors of
/// `Ahead` blocks are under way: what is asked for later arrives later, so that waiting for a
/// block's factors is waiting for tiles asked for before them. Where tiles pass the registers, they
/// are read for four blocks at a time, as each is of a line of memory of its own; elsewhere the
/// compiler would wait, at the branch for that, for what else is under way.
template <class Sum, int Ahead>
struct ScaledSum<Sum, BlockScales, Ahead> {
  Sum all;
  static constexpr int group = arch::direct_copies && arch::any_alignment ? 4 : 1;

  /// Of the rows and columns from `first` on, of a result of `size`; `blocks` of the depth.
  HIPSIGHT_INLINE ScaledSum(const BlockScales& scales, Place first, Place size, int blocks)
      : a_(table(scales.a, size.row, blocks).from(first.row, 0)),
        b_(table(scales.b, ceil_div(size.column, scale_block), blocks)
               .from(first.column / scale_block, 0)) {
    HIPSIGHT_UNROLL
    for (int i = 0; i < groups; i++) read(of_[i], i * group);
    if constexpr (group > 1) read_if_cut(0);
  }

  /// A block's first products are added to a zero that the compiler is to know: it is theirs.
  HIPSIGHT_INLINE void clear() {}
  HIPSIGHT_INLINE Sum& now() { return block_; }

  /// Block `number` is summed.
  HIPSIGHT_INLINE void end_block(int number) {
    float factor[Sum::rows_held];
    HIPSIGHT_UNROLL
    for (int r = 0; r < Sum::rows_held; r++) factor[r] = of_[0].row[r][0] * of_[0].columns[0];
    all.add(block_, factor);
    if constexpr (group > 1) all.settle();
    block_ = {};
    if (group == 1 || (number + 1) % group == 0)
      next_group(number + 1);
    else
      of_[0].next();
  }

 private:
  static constexpr int groups = group > 1 ? 2 : Ahead;  // in registers, or on their way there

  using Table = GlobalTile<const float>;
  HIPSIGHT_INLINE static Table table(const Factors& factors, int lines, int blocks) {
    return {factors.data, lines, blocks, static_cast<int>(factors.stride), false};
  }

  /// Factors of so many blocks, the first one's in front.
  struct OfGroup {
    Vector<float, group> row[Sum::rows_held], columns;

    HIPSIGHT_INLINE void next() {
      HIPSIGHT_UNROLL
      for (int i = 0; i + 1 < group; i++) {
        HIPSIGHT_UNROLL
        for (int r = 0; r < Sum::rows_held; r++) row[r][i] = row[r][i + 1];
        columns[i] = columns[i + 1];
      }
    }
  };

  /// From `block` on.
  HIPSIGHT_INLINE void next_group(int block) {
    HIPSIGHT_UNROLL
    for (int i = 1; i < groups; i++) of_[i - 1] = taken(of_[i]);
    if constexpr (group > 1) read_if_cut(block);
    read(of_[groups - 1], block + (groups - 1) * group);
  }

  /// The compiler is to move what is there, not what is on its way.
  HIPSIGHT_INLINE static OfGroup taken(OfGroup of) {
    if constexpr (group > 1) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < group; i++) {
        HIPSIGHT_UNROLL
        for (int r = 0; r < Sum::rows_held; r++) of.row[r][i] = arch::moved(of.row[r][i]);
        of.columns[i] = arch::moved(of.columns[i]);
      }
    }
    return of;
  }

  /// Zeros, where not all of them exist. They are multiplied only when they are needed.
  HIPSIGHT_INLINE void read(OfGroup& to, int block) {
    const int first = group == 1 || block + group <= a_.columns ? block : a_.columns;
    all.for_each_row(
        [&](int row, int r) { to.row[r] = a_.template load<group>(row, first, Sum::rows); });
    to.columns = b_.template load<group>(0, first, 1);
  }
  /// Those that exist of the group from `block` on, and waits for them.
  HIPSIGHT_INLINE void read_if_cut(int block) {
    if (block + group <= a_.columns) return;
    all.for_each_row([&](int row, int r) {
      // This is rare: its addresses are to take no registers before.
      of_[0].row[r] = arch::anew(a_.template load_any<group>(arch::anew(row), block, Sum::rows));
    });
    of_[0].columns = arch::anew(b_.template load_any<group>(0, block, 1));
  }

  Sum block_;
  OfGroup of_[groups];
  Table a_, b_;
};

}  // namespace hipsight::kernels
