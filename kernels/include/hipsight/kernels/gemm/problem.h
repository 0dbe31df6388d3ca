// A GEMM as its caller states it, and what is wrong with it.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>

#include "../grid.h"
#include "kernel.h"

namespace hipsight::kernels {

/// What flags of shares are set to: not 0, and nothing that memory often holds. One for all
/// launches, so that those of one size have the same arguments: a launch clears what it sets. One
/// that was cut off does not: then the workspace must be cleared.
inline constexpr unsigned share_is_left = 0x9e3779b9;

/// What the choice of tiles depends on.
struct GemmShape {
  int rows, columns, depth, batches;
  int element_bytes;
  bool scaled, turned;  // as gemm_tiling() has them
  double b_share = 1;   // bytes of B, of those that it would have in A's type

  HIPSIGHT_APART Tiling tiling(Architecture architecture, TileSize size) const {
    return gemm_tiling(architecture, size, element_bytes, scaled, turned, b_share < 0.5);
  }
  bool has_tiny_tiles(Architecture architecture) const {
    return kernels::has_tiny_tiles(architecture, element_bytes, scaled);
  }
  int tiles(const Tiling& tiling) const {
    return ceil_div(rows, tiling.rows) * ceil_div(columns, tiling.columns);
  }
  int share_unit(const Tiling& tiling) const {
    return kernels::share_unit(tiling, element_bytes, scaled);
  }
  int depth_in_units(const Tiling& tiling) const {
    return std::max(1, ceil_div(depth, share_unit(tiling)));
  }
};

/// A matrix in memory.
struct GemmLines {
  int count, across;  // lines, elements side by side
  std::int64_t stride;
  int element_bytes;
};

template <class Given>
GemmLines lines_of(const Given& matrix) {
  constexpr bool by_rows = Given::order == Order::row_major;
  return {by_rows ? matrix.rows : matrix.columns, by_rows ? matrix.columns : matrix.rows,
          matrix.stride, sizeof(typename Given::Element)};
}

/// A matrix as a tile, whose rows are those of memory.
template <class Given>
auto whole(const Given& matrix) {
  constexpr bool by_rows = Given::order == Order::row_major;
  constexpr int bytes = sizeof(typename Given::Element);
  const int lines = by_rows ? matrix.rows : matrix.columns,
            across = by_rows ? matrix.columns : matrix.rows;
  const std::int64_t stride = lines > 1 ? matrix.stride : across;  // of one line it may be any
  const auto in_chunks = [](std::int64_t count) { return count % chunk_bytes == 0; };
  return GlobalTile<typename Given::Element>{
      matrix.data, lines, across, static_cast<int>(stride),
      in_chunks(reinterpret_cast<std::intptr_t>(matrix.data)) &&
          (lines == 1 || in_chunks(stride * bytes)) && in_chunks(matrix.batch_stride * bytes)};
}

/// Of 256 rows, the most that a workgroup sees at once, any element is within 2 GiB.
constexpr std::int64_t most_stride(int element_bytes) {
  return INT32_MAX / 256 / element_bytes;
}

HIPSIGHT_APART inline void check_stride(Check& check, const char* name, const GemmLines& lines) {
  const std::int64_t most = most_stride(lines.element_bytes);
  if (lines.count <= 1 && lines.stride >= lines.across && lines.across <= most * 256) return;
  if (lines.stride < lines.across)
    check.fail(name, "'s stride of ", lines.stride, " is less than the ", lines.across,
               " elements side by side");
  if (lines.stride > most)
    check.fail(name, "'s stride of ", lines.stride, " is more than ", most,
               ", the largest that kernels take");
}

HIPSIGHT_APART inline void check_sizes(Check& check, const GemmShape& shape) {
  if (shape.rows < 0 || shape.columns < 0 || shape.depth < 0)
    check.fail("a size is negative: A is ", shape.rows, " x ", shape.depth, " and B is ",
               shape.depth, " x ", shape.columns);
  if (shape.batches < 0 || shape.batches > 65535)
    check.fail("there are ", shape.batches, " batches: it must be 0 to 65535");
  constexpr int deepest = INT32_MAX - 4096;  // tiles after the last have numbers, too
  if (shape.depth > deepest)
    check.fail("the depth of ", shape.depth, " is more than ", deepest,
               ", the most that kernels take");
  constexpr int least = 16;  // rows and columns of a tile
  if (product({ceil_div(shape.rows, least), ceil_div(shape.columns, least)}) > INT32_MAX)
    check.fail("C is ", shape.rows, " x ", shape.columns, ": that is more than 2^31 tiles of ",
               least, " x ", least);
}

HIPSIGHT_APART inline void check_factors(Check& check, const char* name, const Factors& factors,
                                         int depth) {
  const std::int64_t most = most_stride(sizeof(float));
  const int blocks = ceil_div(depth, scale_block);
  if (blocks > 0 && !factors.data) check.fail("the factors of ", name, " are a null pointer");
  if (factors.stride < blocks)
    check.fail("the stride of ", name, "'s factors, ", factors.stride, ", is less than the ",
               blocks, " blocks of the depth");
  if (factors.stride > most)
    check.fail("the stride of ", name, "'s factors, ", factors.stride, ", is more than ", most,
               ", the largest that kernels take");
}

HIPSIGHT_APART inline DepthShares depth_shares(const GemmShape& shape, int count, TileSize size,
                                               Architecture architecture,
                                               const Workspace& workspace) {
  const Tiling tiling = shape.tiling(architecture, size);
  const int tiles = shape.tiles(tiling), all = tiles * shape.batches;
  const bool parts = has_only_parts(size);
  if (parts) count = std::max(1, count / all) * all;
  return {tiles,
          shape.batches,
          shape.depth_in_units(tiling),
          count,
          parts ? 1 : facts(architecture).dies,
          workspace,
          share_is_left};
}

/// A workgroup for each tile of each batch; or, in shares, for each share, or each part of a tile.
inline Grid grid_of(const GemmShape& shape, const DepthShares& shares, bool in_shares,
                    TileSize size, const Tiling& tiling) {
  if (!in_shares) return {shape.tiles(tiling), shape.batches};
  if (!has_only_parts(size)) return {shares.count()};
  return {shares.parts(), shape.tiles(tiling), shape.batches};
}

template <class Value, Order order_a, Order order_b, class Out, Epilogue After,
          class Scales = NoScales>
struct GemmProblem {
  template <TileSize size>
  using Workgroup = GemmWorkgroup<Value, order_a, order_b, Out, After, Scales, size>;

  HIPSIGHT_INLINE static constexpr bool has_tiny_tiles(Architecture architecture) {
    return kernels::has_tiny_tiles(architecture, sizeof(Value), Scales::used);
  }

  Matrix<const Value, order_a> a;
  Matrix<const Value, order_b> b;
  RowMajor<Out> c;
  After epilogue;
  Scales scales;
  int batches;
  DepthShares shares{};

  /// What no kernel takes, in a sentence, or empty.
  std::string error() const {
    Check check("gemm");
    if (a.rows != c.rows || b.columns != c.columns || a.columns != b.rows)
      check.fail("A is ", a.rows, " x ", a.columns, ", B is ", b.rows, " x ", b.columns,
                 " and C is ", c.rows, " x ", c.columns, ": they must be M x K, K x N and M x N");
    check_sizes(check, shape());
    check_stride(check, "A", lines_of(a));
    check_stride(check, "B", lines_of(b));
    check_stride(check, "C", lines_of(c));
    check_overlap(check, "C", c.columns,
                  {{"row", c.rows, c.stride}, {"matrix", batches, c.batch_stride}});
    if (check.failed() || empty()) return check.error();
    if (!c.data || (a.columns > 0 && (!a.data || !b.data)))
      check.fail("a matrix is a null pointer");
    check_epilogue(check, epilogue, ResultShape{batches, c.rows, c.columns});
    if constexpr (Scales::used) {
      check_factors(check, "A", scales.a, a.columns);
      check_factors(check, "B", scales.b, a.columns);
    }
    return check.error();
  }

  /// Without any result there is nothing to do. (Without depth there is: sums of 0.)
  bool empty() const { return c.rows == 0 || c.columns == 0 || batches == 0; }

  GemmShape shape() const {
    return {c.rows,
            c.columns,
            a.columns,
            batches,
            sizeof(Value),
            Scales::used,
            are_turned<Value, order_a, order_b>};
  }

  /// The same in as many shares as that, or fewer; but no fewer than tiles where each is to have a
  /// part of one.
  GemmProblem in_shares(int count, TileSize size, Architecture architecture,
                        const Workspace& workspace) const {
    GemmProblem problem = *this;
    problem.shares = depth_shares(shape(), count, size, architecture, workspace);
    return problem;
  }
  template <bool in_shares>
  Grid grid(TileSize size, const Tiling& tiling) const {
    return grid_of(shape(), shares, in_shares, size, tiling);
  }

  GemmArguments<Value, Out, After, Scales> arguments(const Tiling& tiling) const {
    const TileOrder order(ceil_div(c.rows, tiling.rows), ceil_div(c.columns, tiling.columns),
                          tiling.group);
    return {whole(a),       whole(b), whole(c), a.batch_stride, b.batch_stride,
            c.batch_stride, order,    shares,   epilogue,       scales};
  }
};

/// The factors of operands, if they have some.
template <class OfA, class OfB>
auto scales_of(const OfA& a, const OfB& b) {
  constexpr bool scaled_a = requires { a.factors; }, scaled_b = requires { b.factors; };
  static_assert(scaled_a == scaled_b, "gemm: either both A and B have factors, or none");
  if constexpr (scaled_a && scaled_b) {
    static_assert(OfA::factor_lines == 1 && OfB::factor_lines == scale_block,
                  "gemm: A must be scaled_rows, B scaled_blocks");
    static_assert(sizeof(typename OfA::Element) == 1,
                  "gemm: only operands in 8 bits have factors along their depth");
    return BlockScales{{a.factors, a.factor_stride, a.factor_batch_stride},
                       {b.factors, b.factor_stride, b.factor_batch_stride}};
  } else {
    return NoScales{};
  }
}

/// What is wrong at compile time, in sentences.
template <class OfA, class OfB, class OfC, class After>
constexpr void check_gemm_types() {
  using Value = std::remove_const_t<typename OfA::Element>;
  static_assert(std::is_same_v<Value, std::remove_const_t<typename OfB::Element>>,
                "gemm: A and B must have elements of the same type");
  using Out = std::remove_const_t<typename OfC::Element>;
  static_assert(std::is_same_v<Value, f32> || std::is_same_v<Value, f16> ||
                    std::is_same_v<Value, bf16> || is_fp8<Value>,
                "gemm: A and B must be of f32, f16, bf16, fp8_e4m3 or fp8_e4m3_fnuz");
  static_assert(std::is_same_v<Out, f32> || std::is_same_v<Out, f16> || std::is_same_v<Out, bf16> ||
                    std::is_same_v<Out, std::int8_t> || is_fp8<Out>,
                "gemm: C must be of f32, f16, bf16, fp8_e4m3, fp8_e4m3_fnuz or std::int8_t");
  static_assert(OfC::order == Order::row_major,
                "gemm: C must be row_major; a column_major C is the transpose of gemm(B^T, A^T)");
  static_assert(!std::is_const_v<typename OfC::Element>,
                "gemm: C is written: its elements must not be const");
  static_assert(Epilogue<After>,
                "gemm: an epilogue must be callable as float(float value, ResultPlace at) const");
}

template <class OfA, class OfB, class OfC, class After>
auto gemm_problem(const OfA& a, const OfB& b, const OfC& c, After epilogue, int batches) {
  check_gemm_types<OfA, OfB, OfC, After>();
  using Value = std::remove_const_t<typename OfA::Element>;
  using Scales = decltype(scales_of(a, b));
  return GemmProblem<Value, OfA::order, OfB::order, typename OfC::Element, After, Scales>{
      {a.data, a.rows, a.columns, a.stride, a.batch_stride},
      {b.data, b.rows, b.columns, b.stride, b.batch_stride},
      c,
      epilogue,
      scales_of(a, b),
      batches};
}

}  // namespace hipsight::kernels
