// What operands in 8 bits are scaled by along their depth, inside the sum.
#pragma once

#include "../matrix.h"
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
template <class Sum, class Scales>
struct ScaledSum {
  Sum all;

  HIPSIGHT_INLINE ScaledSum(const Scales&, Place, int, int) {}
  HIPSIGHT_INLINE Sum& now() { return all; }
  HIPSIGHT_INLINE void end_block(int) {}
};

/// The same of operands with factors: each block of the depth has a sum of its own, which is added
/// with the factors of its rows and of its columns, which are all in one block of B.
template <class Sum>
struct ScaledSum<Sum, BlockScales> {
  Sum all;

  /// Of the rows and columns from `first` on, of which `rows` exist; `blocks` of the depth.
  HIPSIGHT_INLINE ScaledSum(const BlockScales& scales, Place first, int rows, int blocks)
      : a_(scales.a.data),
        b_(scales.b.data + first.column / scale_block * scales.b.stride),
        blocks_(blocks) {
    all.update([&](Place at, int r, float value) {
      const int row = first.row + at.row;
      row_[r] = (row < rows ? row : rows - 1) * scales.a.stride;
      return value;
    });
    read(0);
  }

  HIPSIGHT_INLINE Sum& now() { return block_; }

  /// Block `number` is summed. The factors of the next one have its time to arrive.
  HIPSIGHT_INLINE void end_block(int number) {
    all.add(block_, factor_);
    block_ = {};
    read(number + 1);
  }

 private:
  HIPSIGHT_INLINE void read(int block) {
    if (block >= blocks_) return;
    const float of_columns = b_[block];
    HIPSIGHT_UNROLL
    for (int r = 0; r < Sum::rows_held; r++) factor_[r] = a_[row_[r] + block] * of_columns;
  }

  Sum block_;
  float factor_[Sum::rows_held];
  const float *a_, *b_;
  std::int64_t row_[Sum::rows_held];
  int blocks_;
};

}  // namespace hipsight::kernels
