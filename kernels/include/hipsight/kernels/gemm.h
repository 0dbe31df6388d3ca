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

#include "device.h"
#include "gemm/plan.h"
#include "status.h"

namespace hipsight::kernels {

template <class Problem, TileSize size, bool is_split, class Arguments>
__global__ __launch_bounds__(Problem::template Workgroup<size>::threads) void gemm_kernel(
    Arguments arguments) {
  using Workgroup = typename Problem::template Workgroup<size>;
  __shared__ typename Workgroup::Shared shared;
  Workgroup::template run<is_split>(arguments, shared, static_cast<int>(blockIdx.x),
                                    static_cast<int>(blockIdx.y));
}

template <TileSize size, bool is_split = false, class Problem>
Status launch_gemm(Stream stream, const Problem& problem, Architecture architecture) {
  const Tiling tiling = problem.tiling(architecture, size);
  const dim3 grid = is_split ? dim3(problem.split.count, problem.tiles(tiling))
                             : dim3(problem.tiles(tiling), problem.batches);
  const auto arguments = problem.arguments(tiling);
  const std::string error =
      launch(gemm_kernel<Problem, size, is_split, std::remove_const_t<decltype(arguments)>>, grid,
             threads(tiling, architecture), stream, arguments);
  return {error.empty() ? error : "gemm: " + error};
}

/// The depth in `splits` parts; needs workspace_bytes() of workspace.
template <TileSize size, class Problem>
Status launch_split_gemm(Stream stream, const Problem& problem, int splits,
                         const Workspace& workspace, Architecture architecture) {
  const Tiling tiling = problem.tiling(architecture, size);
  return launch_gemm<size, true>(stream, problem.split_into(splits, tiling, workspace),
                                 architecture);
}

template <TileSize size, class Problem>
Status launch_gemm(Stream stream, const Problem& problem, int splits, const Workspace& workspace,
                   Architecture architecture) {
  return splits > 1 ? launch_split_gemm<size>(stream, problem, splits, workspace, architecture)
                    : launch_gemm<size>(stream, problem, architecture);
}

template <class Problem>
Status launch_gemm(Stream stream, const Problem& problem, const GemmPlan& plan,
                   const Workspace& workspace, Architecture architecture) {
  switch (plan.size) {
    case TileSize::large:
      return launch_gemm<TileSize::large>(stream, problem, plan.splits, workspace, architecture);
    case TileSize::medium:
      return launch_gemm<TileSize::medium>(stream, problem, plan.splits, workspace, architecture);
    default:
      return launch_gemm<TileSize::small>(stream, problem, plan.splits, workspace, architecture);
  }
}

/// Bytes of workspace with which gemm() of the same arguments is quickest; 0 if it needs none.
/// Whose it is must set it to zeros once, before its first call. Each call leaves its counters at
/// zero, for calls after it, also those of other arguments; calls at the same time must not share
/// it.
template <class A, class B, class C>
std::size_t gemm_workspace(const A& a, const B& b, const C& c, int batches = 1) {
  const auto problem = gemm_problem(a, b, c, Identity{}, batches);
  const Device device = current_device();
  if (!problem.error().empty() || problem.empty() || !device.error.empty()) return 0;
  return workspace_bytes(problem, quickest_plan(problem, device, SIZE_MAX), device.architecture);
}

/// On the current device, after what is before it in the stream. Batch b of C comes from batches b
/// of A and B. With a workspace, few tiles of much depth are faster.
template <class A, class B, class C, class E = Identity>
Status gemm(Stream stream, const A& a, const B& b, const C& c, E epilogue = {}, int batches = 1,
            const Workspace& workspace = {}) {
  const auto problem = gemm_problem(a, b, c, epilogue, batches);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  const Device device = current_device();
  if (!device.error.empty()) return {"gemm: " + device.error};
  const GemmPlan plan = quickest_plan(problem, device, workspace.data ? workspace.bytes : 0);
  return launch_gemm(stream, problem, plan, workspace, device.architecture);
}

}  // namespace hipsight::kernels
