// Convolutions in two dimensions and their gradients, as products of matrices that are never
// written ("implicit GEMM"), with sums in f32.
//
//   Images<const f16> x{data, n, h, w, c};       // n h w c: channels side by side
//   Filters<const f16> filters{data, k, 3, 3, c};
//   Images<f16> y{data, n, h, w, k};
//   if (Status status = convolution(stream, x, filters, y, {.padding = {1, 1}}, Bias(bias));
//   !status)
//     fail(status.error);
//
// Algorithm, numbers: docs/kernels/convolution.md.
#pragma once

#include "convolution/problem.h"
#include "gemm.h"

namespace hipsight::kernels {

/// y = epilogue(x convolved with w), or rather correlated, as networks have it. Of the epilogue
/// rows are pixels, columns the filters of a group, and a batch is a group. `sizes`: what of tiles
/// to choose among, as gemm() has it.
template <TileSize... sizes, class Value, class Filter, class Result, class After = Identity>
Status convolution(Stream stream, const Images<Value>& x, const Filters<Filter>& w,
                   const Images<Result>& y, const Convolved& how = {}, After epilogue = {}) {
  return run_gemm<tile_sizes<sizes...>(), false>(
      stream, convolution_problem<Convolution::result>(x, w, y, how, epilogue), {});
}

template <class Turn>
HIPSIGHT_KERNEL(Turn::threads_on_gpu)
void turn_filters_kernel([[maybe_unused]] Turn turn) {
#ifndef HIPSIGHT_STARTS_ONLY
  __shared__ typename Turn::Shared shared;
  turn.run(arch::workgroup(), shared);
#endif
}

/// dx, the gradient of the images, from that of the result. The workspace takes the filters,
/// turned: it must be of as many bytes as they have, from a multiple of 16 on.
template <TileSize... sizes, class Value, class Filter, class Result, class After = Identity>
Status convolution_of_images(Stream stream, const Images<Value>& dx, const Filters<Filter>& w,
                             const Images<Result>& dy, const Convolved& how,
                             const Workspace& workspace, After epilogue = {}) {
  constexpr TileSizes among = tile_sizes<sizes...>();
  auto* const turned = static_cast<Value*>(workspace.data);
  const auto problem = convolution_problem<Convolution::images>(dx, w, dy, how, epilogue, turned);
  if (!problem.error().empty()) return {problem.error()};
  if (problem.empty()) return {};
  if (workspace.bytes < elements_of(w) * sizeof(Value))
    return {"convolution_of_images: the workspace must be of as many bytes as the filters"};
  if (elements_of(w) > 0) {
    const TurnFilters<Value> turn = convolution_tiles(dx, w, dy, how).turn(turned);
    const std::string error = launch(turn_filters_kernel<TurnFilters<Value>>, {turn.workgroups()},
                                     TurnFilters<Value>::threads_on_gpu, stream, turn);
    if (!error.empty()) return {"convolution_of_images: " + error};
  }
  if (how.is_strided()) return run_gemm<among, false>(stream, problem, {});
  return run_gemm<among, false>(
      stream, convolution_problem<Convolution::images, false>(dx, w, dy, how, epilogue, turned),
      {});
}

/// dw, the gradient of the filters, from that of the result. It is a small matrix of deep sums:
/// with a workspace of convolution_workspace() bytes all of the GPU has a part of them.
template <TileSize... sizes, class Value, class Filter, class Result, class After = Identity>
Status convolution_of_filters(Stream stream, const Images<Value>& x, const Filters<Filter>& dw,
                              const Images<Result>& dy, const Convolved& how,
                              const Workspace& workspace, After epilogue = {}) {
  return run_gemm<tile_sizes<sizes...>(), true>(
      stream, convolution_problem<Convolution::filters>(x, dw, dy, how, epilogue), workspace);
}

/// Bytes of workspace with which convolution_of_filters() of the same arguments is quickest.
template <TileSize... sizes, class Value, class Filter, class Result>
std::size_t convolution_workspace(const Images<Value>& x, const Filters<Filter>& dw,
                                  const Images<Result>& dy, const Convolved& how) {
  return gemm_workspace<sizes...>(
      convolution_problem<Convolution::filters>(x, dw, dy, how, Identity{}));
}

}  // namespace hipsight::kernels
