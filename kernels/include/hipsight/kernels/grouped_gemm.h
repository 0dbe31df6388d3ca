// C = epilogue(A B) where groups of A's rows, of any sizes, have a B each: the experts of a
// mixture, with the tokens of each one after the other.
//
//   RowMajor<const bf16> tokens{...};           // T x K
//   ColumnMajor<const bf16> experts{...};       // K x N each, a batch stride apart
//   RowMajor<bf16> y{...};                      // R x N, a row for each token of each expert
//   const RowGroups groups{starts, 64};         // whose rows, known to the GPU alone
//   const auto x = indexed_rows(tokens, token_of_row, R);
//   if (Status status = grouped_gemm(stream, x, experts, y, groups); !status)
//     fail(status.error);
//
// Algorithm, tilings, numbers: docs/kernels/grouped_gemm.md.
#pragma once

#include "gemm.h"
#include "grouped_gemm/problem.h"

namespace hipsight::kernels {

template <class Problem, TileSize size, class Arguments>
HIPSIGHT_KERNEL(Problem::template Workgroup<size>::threads)
void grouped_gemm_kernel([[maybe_unused]] Arguments arguments) {
#ifndef HIPSIGHT_STARTS_ONLY
  using Workgroup = typename Problem::template Workgroup<size>;
  __shared__ typename Workgroup::Shared shared;
  Workgroup::run(arguments, shared, arch::workgroup());
#endif
}

template <TileSize size, class Problem>
Status launch_grouped_gemm(Stream stream, const Problem& problem, Architecture architecture) {
  const Tiling tiling = problem.shape().tiling(architecture, size);
  const Grid grid = problem.grid(tiling);
  if (grid.x > INT32_MAX) return {"grouped_gemm: there are more than 2^31 tiles"};
  const auto arguments = problem.arguments(tiling);
  const std::string error =
      launch(grouped_gemm_kernel<Problem, size, std::remove_const_t<decltype(arguments)>>, grid,
             threads(tiling, architecture), stream, arguments);
  return {error.empty() ? error : "grouped_gemm: " + error};
}

/// On the current device, after what is before it in the stream. Row r of C is epilogue(row r of A,
/// times matrix g of B's batch) where r is of group g; rows of no group are left as they are. A and
/// C may be indexed_rows() of a matrix. Epilogues are asked with the row, and the group as batch.
/// `sizes`: what of tiles to choose among, as gemm() has it.
template <TileSize... sizes, class OfA, class OfB, class OfC, class After = Identity>
Status grouped_gemm(Stream stream, const OfA& a, const OfB& b, const OfC& c,
                    const RowGroups& groups, After epilogue = {}) {
  constexpr TileSizes among = tile_sizes<sizes...>();
  const auto problem = grouped_gemm_problem(a, b, c, groups, epilogue);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  const Device device = current_device();
  if (!device.error.empty()) return {"grouped_gemm: " + device.error};
  const TileSize size = quickest_plan(problem.shape(), device, 0, among).size;
  if constexpr (among.large)
    if (size == TileSize::large)
      return launch_grouped_gemm<TileSize::large>(stream, problem, device.architecture);
  if constexpr (among.medium)
    if (size == TileSize::medium)
      return launch_grouped_gemm<TileSize::medium>(stream, problem, device.architecture);
  if constexpr (among.small)
    return launch_grouped_gemm<TileSize::small>(stream, problem, device.architecture);
  return {"grouped_gemm: there are no kernels for these tiles"};
}

}  // namespace hipsight::kernels
