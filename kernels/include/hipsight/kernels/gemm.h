// C = epilogue(A B), with sums in f32, for any sizes, strides and orders of A and B.
//
//   RowMajor<const f16> x{...};           // M x K
//   ColumnMajor<const f16> weights{...};  // K x N: in memory N x K, as linear layers have them
//   RowMajor<f16> y{...};                 // M x N
//   if (Status status = gemm(stream, x, weights, y, Bias(bias) | Gelu{}); !status)
//     fail(status.error);
//
// Algorithm, tilings, numbers: docs/kernels/gemm.md.
#pragma once

#include <cmath>

#include "device.h"
#include "gemm/problem.h"
#include "status.h"

namespace hipsight::kernels {

template <class Problem, TileSize size, class Arguments>
__global__ __launch_bounds__(Problem::template Workgroup<size>::threads) void gemm_kernel(
    Arguments arguments) {
  using Workgroup = typename Problem::template Workgroup<size>;
  __shared__ typename Workgroup::Shared shared;
  Workgroup::run(arguments, shared, static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y));
}

template <TileSize size, class Problem>
Status launch_gemm(Stream stream, const Problem& problem, Architecture architecture) {
  const Tiling tiling = gemm_tiling(architecture, size, Problem::element_bytes);
  const dim3 grid(problem.tiles(tiling), problem.batches);
  const auto arguments = problem.arguments();
  const std::string error =
      launch(gemm_kernel<Problem, size, std::remove_const_t<decltype(arguments)>>, grid,
             threads(tiling, architecture), stream, arguments);
  return {error.empty() ? error : "gemm: " + error};
}

/// The tiles that would be done first, where each compute unit takes one after the other.
template <class Problem>
TileSize quickest_tiles(const Problem& problem, const Device& device) {
  TileSize best{};
  double least = 0;
  for (const TileSize size : {TileSize::large, TileSize::medium, TileSize::small}) {
    const Tiling tiling = gemm_tiling(device.architecture, size, Problem::element_bytes);
    const double count = 1.0 * problem.tiles(tiling) * problem.batches;
    const double rounds = std::ceil(count / device.compute_units);
    const double time = rounds * tiling.rows * tiling.columns / tiling.percent;
    if (size == TileSize::large || time < least) best = size, least = time;
  }
  return best;
}

/// On the current device, after what is before it in the stream. Batch b of C comes from batches b
/// of A and B.
template <class A, class B, class C, class E = Identity>
Status gemm(Stream stream, const A& a, const B& b, const C& c, E epilogue = {}, int batches = 1) {
  const auto problem = gemm_problem(a, b, c, epilogue, batches);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  const Device device = current_device();
  if (!device.error.empty()) return {"gemm: " + device.error};
  switch (quickest_tiles(problem, device)) {
    case TileSize::large:
      return launch_gemm<TileSize::large>(stream, problem, device.architecture);
    case TileSize::medium:
      return launch_gemm<TileSize::medium>(stream, problem, device.architecture);
    default:
      return launch_gemm<TileSize::small>(stream, problem, device.architecture);
  }
}

}  // namespace hipsight::kernels
