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
void gemm_kernel([[maybe_unused]] Arguments arguments) {
#ifndef HIPSIGHT_STARTS_ONLY
  using Workgroup = typename Problem::template Workgroup<size>;
  if constexpr (size == TileSize::tiny && !Problem::has_tiny_tiles(arch::current))
    return;  // never launched
  __shared__ typename Workgroup::Shared shared;
  Workgroup::template run<in_shares>(arguments, shared, arch::workgroup(), arch::workgroup<1>(),
                                     arch::workgroup<2>());
#endif
}

template <TileSize size, bool in_shares = false, class Problem>
Status launch_gemm(Stream stream, const Problem& problem, Architecture architecture) {
  const Tiling tiling = problem.shape().tiling(architecture, size);
  const auto arguments = problem.arguments(tiling);
  const std::string error =
      launch(gemm_kernel<Problem, size, in_shares, std::remove_const_t<decltype(arguments)>>,
             problem.template grid<in_shares>(size, tiling), threads(tiling, architecture), stream,
             arguments);
  return {error.empty() ? error : "gemm: " + error};
}

/// Kernels for all plans that the sizes and a workspace, if any, allow. Each is compiled.
template <TileSizes sizes = all_tile_sizes, bool with_shares = true, class Problem>
Status launch_gemm(Stream stream, const Problem& problem, const GemmPlan& plan,
                   const Workspace& workspace, Architecture architecture) {
  constexpr auto large = TileSize::large, medium = TileSize::medium, small = TileSize::small,
                 tiny = TileSize::tiny;
  if constexpr (with_shares) {
    if (plan.shares > 0) {
      const auto in = [&](TileSize size) {
        return problem.in_shares(plan.shares, size, architecture, workspace);
      };
      if constexpr (sizes.tiny)
        if (plan.size == tiny && Problem::has_tiny_tiles(architecture))
          return launch_gemm<tiny, true>(stream, in(tiny), architecture);
      if constexpr (sizes.large)
        if (plan.size == large) return launch_gemm<large, true>(stream, in(large), architecture);
      if constexpr (sizes.medium)
        if (plan.size == medium) return launch_gemm<medium, true>(stream, in(medium), architecture);
      if constexpr (sizes.small) return launch_gemm<small, true>(stream, in(small), architecture);
    }
  }
  if constexpr (sizes.large)
    if (plan.size == large) return launch_gemm<large>(stream, problem, architecture);
  if constexpr (sizes.medium)
    if (plan.size == medium) return launch_gemm<medium>(stream, problem, architecture);
  if constexpr (sizes.small) return launch_gemm<small>(stream, problem, architecture);
  return {"gemm: there are no kernels for this plan"};
}

/// Of those that a call names; all if it names none.
template <TileSize... named>
constexpr TileSizes tile_sizes() {
  const auto among = [](TileSize size) {
    return sizeof...(named) == 0 || ((named == size) || ...);
  };
  constexpr TileSizes sizes{among(TileSize::large), among(TileSize::medium), among(TileSize::small),
                            among(TileSize::tiny)};
  static_assert(sizes.large || sizes.medium || sizes.small,
                "gemm: tiny tiles are for shares alone: name another size beside them");
  return sizes;
}

template <TileSizes sizes, bool with_shares, class Problem>
Status run_gemm(Stream stream, const Problem& problem, const Workspace& workspace) {
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  const Device device = current_device();
  if (!device.error.empty()) return {"gemm: " + device.error};
  if (reinterpret_cast<std::uintptr_t>(workspace.data) % chunk_bytes)
    return {"gemm: the workspace must begin at a multiple of 16 bytes"};
  const GemmPlan plan =
      quickest_plan(problem.shape(), device, workspace.data ? workspace.bytes : 0, sizes);
  return launch_gemm<sizes, with_shares>(stream, problem, plan, workspace, device.architecture);
}

/// Bytes of workspace with which it is quickest; 0 if it needs none.
template <TileSize... sizes, class Problem>
std::size_t gemm_workspace(const Problem& problem) {
  const Device device = current_device();
  if (!problem.error().empty() || problem.empty() || !device.error.empty()) return 0;
  const GemmShape shape = problem.shape();
  return workspace_bytes(shape, quickest_plan(shape, device, SIZE_MAX, tile_sizes<sizes...>()),
                         device.architecture);
}

/// The same of gemm() with these arguments.
template <TileSize... sizes, class OfA, class OfB, class OfC>
std::size_t gemm_workspace(const OfA& a, const OfB& b, const OfC& c, int batches = 1) {
  return gemm_workspace<sizes...>(gemm_problem(a, b, c, Identity{}, batches));
}

/// On the current device, after what is before it in the stream. Batch b of C comes from batches b
/// of A and B. `sizes`: what of tiles to choose among, if not all: so much less is compiled.
template <TileSize... sizes, class OfA, class OfB, class OfC, class After = Identity>
Status gemm(Stream stream, const OfA& a, const OfB& b, const OfC& c, After epilogue = {},
            int batches = 1) {
  return run_gemm<tile_sizes<sizes...>(), false>(stream, gemm_problem(a, b, c, epilogue, batches),
                                                 {});
}

/// The same with a workspace, with which tiles that do not fill the GPU are faster. Twice as many
/// kernels are compiled.
template <TileSize... sizes, class OfA, class OfB, class OfC, class After = Identity>
Status gemm(Stream stream, const OfA& a, const OfB& b, const OfC& c, After epilogue, int batches,
            const Workspace& workspace) {
  return run_gemm<tile_sizes<sizes...>(), true>(stream, gemm_problem(a, b, c, epilogue, batches),
                                                workspace);
}

}  // namespace hipsight::kernels
