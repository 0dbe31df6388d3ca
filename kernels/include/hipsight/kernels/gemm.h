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

template <class Problem, TileSize size, bool in_shares, class Arguments>
HIPSIGHT_KERNEL(Problem::template Workgroup<size>::threads)
void gemm_kernel(Arguments arguments) {
  using Workgroup = typename Problem::template Workgroup<size>;
  if constexpr (size == TileSize::tiny && !Problem::has_tiny_tiles(arch::current))
    return;  // never launched
  __shared__ typename Workgroup::Shared shared;
  Workgroup::template run<in_shares>(arguments, shared, arch::workgroup(), arch::workgroup<1>(),
                                     arch::workgroup<2>());
}

template <TileSize size, bool in_shares = false, class Problem>
Status launch_gemm(Stream stream, const Problem& problem, Architecture architecture) {
  const Tiling tiling = problem.tiling(architecture, size);
  const Grid grid = problem.template grid<in_shares>(size, tiling);
  const auto arguments = problem.arguments(tiling);
  const std::string error =
      launch(gemm_kernel<Problem, size, in_shares, std::remove_const_t<decltype(arguments)>>,
             dim3(grid.x, grid.y, grid.z), threads(tiling, architecture), stream, arguments);
  return {error.empty() ? error : "gemm: " + error};
}

/// In so many shares, which need workspace_bytes() of workspace; or, if none, each tile by a
/// workgroup.
template <TileSize size, class Problem>
Status launch_gemm(Stream stream, const Problem& problem, int shares, const Workspace& workspace,
                   Architecture architecture) {
  if (shares == 0) return launch_gemm<size>(stream, problem, architecture);
  return launch_gemm<size, true>(stream, problem.in_shares(shares, size, architecture, workspace),
                                 architecture);
}

template <class Problem>
Status launch_gemm(Stream stream, const Problem& problem, const GemmPlan& plan,
                   const Workspace& workspace, Architecture architecture) {
  switch (plan.size) {
    case TileSize::large:
      return launch_gemm<TileSize::large>(stream, problem, plan.shares, workspace, architecture);
    case TileSize::medium:
      return launch_gemm<TileSize::medium>(stream, problem, plan.shares, workspace, architecture);
    case TileSize::tiny:
      if (plan.shares > 0 && Problem::has_tiny_tiles(architecture))
        return launch_gemm<TileSize::tiny, true>(
            stream, problem.in_shares(plan.shares, plan.size, architecture, workspace),
            architecture);
      [[fallthrough]];
    default:
      return launch_gemm<TileSize::small>(stream, problem, plan.shares, workspace, architecture);
  }
}

/// Bytes of workspace with which gemm() of the same arguments is quickest; 0 if it needs none.
template <class A, class B, class C>
std::size_t gemm_workspace(const A& a, const B& b, const C& c, int batches = 1) {
  const auto problem = gemm_problem(a, b, c, Identity{}, batches);
  const Device device = current_device();
  if (!problem.error().empty() || problem.empty() || !device.error.empty()) return 0;
  return workspace_bytes(problem, quickest_plan(problem, device, SIZE_MAX), device.architecture);
}

/// On the current device, after what is before it in the stream. Batch b of C comes from batches b
/// of A and B. With a workspace, tiles that do not fill the GPU are faster.
template <class A, class B, class C, class E = Identity>
Status gemm(Stream stream, const A& a, const B& b, const C& c, E epilogue = {}, int batches = 1,
            const Workspace& workspace = {}) {
  const auto problem = gemm_problem(a, b, c, epilogue, batches);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  const Device device = current_device();
  if (!device.error.empty()) return {"gemm: " + device.error};
  if (reinterpret_cast<std::uintptr_t>(workspace.data) % chunk_bytes)
    return {"gemm: the workspace must begin at a multiple of " + std::to_string(chunk_bytes) +
            " bytes"};
  const GemmPlan plan = quickest_plan(problem, device, workspace.data ? workspace.bytes : 0);
  return launch_gemm(stream, problem, plan, workspace, device.architecture);
}

}  // namespace hipsight::kernels
