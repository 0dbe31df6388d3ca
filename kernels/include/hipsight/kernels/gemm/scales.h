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
template <class M, int Lines>
struct BlockScaled : M {
  static constexpr int factor_lines = Lines;
  const float* factors = nullptr;
  std::int64_t factor_stride = 0, factor_batch_stride = 0;
};

/// An A whose rows each have factors, as DeepSeek-V3 scales activations (arXiv 2412.19437, 3.3.2):
/// `factors` are M x ceil(K / 128), of `stride` a row.
template <class M>
constexpr BlockScaled<M, 1> scaled_rows(const M& matrix, const float* factors, std::int64_t stride,
                                        std::int64_t batch_stride = 0) {
  return {matrix, factors, stride, batch_stride};
}
/// A B of which each block of 128 x 128 has a factor, as it scales weights: `factors` are
/// ceil(N / 128) x ceil(K / 128).
template <class M>
constexpr BlockScaled<M, scale_block> scaled_blocks(const M& matrix, const float* factors,
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

  HIPSIGHT_INLINE ScaledSum(const Scales&, Place, int, int) {}
  HIPSIGHT_INLINE Sum& now() { return all; }
  HIPSIGHT_INLINE void end_block(int) {}
};

/// The same of operands with factors: each block of the depth has a sum of its own, which is added
/// with the factors of its rows and of its columns, which are all in one block of B. The factors of
/// `Ahead` blocks are under way: what is asked for later arrives later, so that waiting for a
/// block's factors is waiting for tiles asked for before them.
template <class Sum, int Ahead>
struct ScaledSum<Sum, BlockScales, Ahead> {
  Sum all;

  /// Of the rows and columns from `first` on, of which `rows` exist; `blocks` of the depth.
  HIPSIGHT_INLINE ScaledSum(const BlockScales& scales, Place first, int rows, int blocks)
      : a_(table(scales.a, rows, blocks).from(first.row, 0)),
        b_(table(scales.b, first.column / scale_block + 1, blocks)
               .from(first.column / scale_block, 0)) {
    HIPSIGHT_UNROLL
    for (int block = 0; block < Ahead; block++) read(block);
  }

  HIPSIGHT_INLINE Sum& now() { return block_; }

  /// Block `number` is summed.
  HIPSIGHT_INLINE void end_block(int number) {
    float factor[Sum::rows_held];
    HIPSIGHT_UNROLL
    for (int r = 0; r < Sum::rows_held; r++) factor[r] = of_block_[0].row[r] * of_block_[0].columns;
    all.add(block_, factor);
    block_ = {};
    read(number + Ahead);
  }

 private:
  using Table = GlobalTile<const float>;
  HIPSIGHT_INLINE static Table table(const Factors& factors, int lines, int blocks) {
    return {factors.data, lines, blocks, static_cast<int>(factors.stride), false};
  }

  /// Zeros, where there is none. They are multiplied only when they are needed.
  HIPSIGHT_INLINE void read(int block) {
    HIPSIGHT_UNROLL
    for (int i = 1; i < Ahead; i++) of_block_[i - 1] = of_block_[i];
    OfBlock& last = of_block_[Ahead - 1];
    all.for_each_row([&](int row, int r) { last.row[r] = a_.load_one(row, block, Sum::rows); });
    last.columns = b_.load_one(0, block, 1);
  }

  Sum block_;
  struct OfBlock {
    float row[Sum::rows_held], columns;
  } of_block_[Ahead];
  Table a_, b_;
};

}  // namespace hipsight::kernels
