// GEMMs of few tiles and much depth: the depth is split, and the parts' sums are added up. The
// order of all sums is given, so that the same call gives the same bits.
#pragma once

#include "../rows/problem.h"
#include "../workspace.h"
#include "problem.h"

namespace hipsight::kernels {

/// The row operation out = epilogue(sum of the parts).
template <class Out, class E>
struct AddSplits {
  static constexpr bool whole_rows = false;
  static constexpr const char* name = "gemm";
  const float* parts;  // one after the other, without gaps
  int splits;
  RowMajor<Out> out;
  E epilogue;

  template <class Row>
  HIPSIGHT_INLINE void run(Row& row) const {
    store(row, out, [&](int part) {
      Part sum = row.load(split(0), part);
      for (int first = 1; first < splits; first += at_once) {
        Part some[at_once];
        HIPSIGHT_UNROLL
        for (int i = 0; i < at_once; i++)
          some[i] = row.load(split(first + i < splits ? first + i : first), part);
        HIPSIGHT_UNROLL
        for (int i = 0; i < at_once; i++)
          if (first + i < splits) sum = each(sum, some[i], Plus{});
      }
      return finished(row, part, sum);
    });
  }

 private:
  static constexpr int at_once = 4;  // that are on their way together

  HIPSIGHT_INLINE RowMajor<const float> split(int i) const {
    const std::int64_t size = static_cast<std::int64_t>(out.rows) * out.columns;
    return {parts + i * size, out.rows, out.columns, out.columns};
  }

  /// The epilogue is asked only of places that exist.
  template <class Row>
  HIPSIGHT_INLINE Part finished(const Row& row, int part, Part sum) const {
    const ResultPlace at{0, row.row(), row.column(part)};
    if (!row.exists()) return sum;
    if (at.column + part_values <= out.columns) return apply<part_values>(epilogue, sum, at);
    HIPSIGHT_UNROLL
    for (int i = 0; i < part_values; i++)
      if (at.column + i < out.columns) sum[i] = epilogue(sum[i], {at.batch, at.row, at.column + i});
    return sum;
  }
};

/// The parts of a problem, of whole tiles: a problem whose result is the workspace.
template <class T, Order order_a, Order order_b, class Out, class E, class Scales>
auto parts_of(const GemmProblem<T, order_a, order_b, Out, E, Scales>& problem, const Tiling& tiling,
              int splits, const Workspace& workspace) {
  const int depth = problem.depth_of(tiling);
  const int tiles = ceil_div(ceil_div(problem.a.columns, depth), splits);
  const int rows = problem.c.rows, columns = problem.c.columns;
  const RowMajor<float> parts{static_cast<float*>(workspace.data), rows, columns, columns,
                              static_cast<std::int64_t>(rows) * columns};
  return GemmProblem<T, order_a, order_b, float, Identity, Scales>{
      problem.a,
      problem.b,
      parts,
      {},
      problem.scales,
      1,
      ceil_div(problem.a.columns, tiles * depth),
      tiles * depth};
}

template <class Parts, class Problem>
auto sum_of_parts(const Parts& parts, const Problem& problem) {
  using Operation = AddSplits<typename Problem::Result, typename Problem::After>;
  return RowProblem<Operation>{{parts.c.data, parts.splits, problem.c, problem.epilogue},
                               problem.c.rows,
                               problem.c.columns,
                               {}};
}

}  // namespace hipsight::kernels
