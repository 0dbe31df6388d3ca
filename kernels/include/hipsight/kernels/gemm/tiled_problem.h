// A GEMM of operands that do not lie in memory as matrices do: convolutions, weights in 4 bits.
#pragma once

#include "problem.h"

namespace hipsight::kernels {

/// C = A B. `InA`, `InB`: as what A and B lie in memory; what is wrong with them was found before.
template <class Value, Order order_a, Order order_b, class Out, Epilogue After, class InA,
          class InB>
struct TiledProblem {
  template <TileSize size>
  using Workgroup =
      GemmWorkgroup<Value, order_a, order_b, Out, After, NoScales, size, InA, GlobalTile<Out>, InB>;
  using Arguments = GemmArguments<Value, Out, After, NoScales, InA, GlobalTile<Out>, InB>;

  HIPSIGHT_INLINE static constexpr bool has_tiny_tiles(Architecture architecture) {
    return kernels::has_tiny_tiles(architecture, sizeof(Value), false);
  }

  std::string wrong;
  int rows, columns, depth;
  InA a;
  InB b;
  GlobalTile<Out> c;
  std::int64_t a_batch, b_batch, c_batch;
  After epilogue;
  int batches;
  double b_share = 1;  // as of GemmShape
  DepthShares shares{};

  /// What no kernel takes, in a sentence, or empty.
  const std::string& error() const { return wrong; }
  bool empty() const { return rows == 0 || columns == 0 || batches == 0; }
  GemmShape shape() const {
    return {
        rows,   columns, depth, batches, sizeof(Value), false, are_turned<Value, order_a, order_b>,
        b_share};
  }
  TiledProblem in_shares(int count, TileSize size, Architecture architecture,
                         const Workspace& workspace) const {
    TiledProblem problem = *this;
    problem.shares = depth_shares(shape(), count, size, architecture, workspace);
    return problem;
  }
  template <bool in_shares>
  Grid grid(TileSize size, const Tiling& tiling) const {
    return grid_of(shape(), shares, in_shares, size, tiling);
  }
  Arguments arguments(const Tiling& tiling) const {
    const TileOrder order(ceil_div(rows, tiling.rows), ceil_div(columns, tiling.columns),
                          tiling.group);
    return {a, b, c, a_batch, b_batch, c_batch, order, shares, epilogue, {}};
  }
};

}  // namespace hipsight::kernels
