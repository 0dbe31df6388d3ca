// Convolutions in two dimensions and their gradients, as products of matrices that are never
// written ("implicit GEMM"), with sums in f32.
//
//   Images<const f16> x{data, n, h, w, c};       // n h w c: channels side by side
//   Filters<const f16> filters{data, k, 3, 3, c};
//   Images<f16> y{data, n, h, w, k};
//   if (Status status = convolution(stream, x, filters, y, {.padding = {1, 1}}, Bias(bias)); !status)
//     fail(status.error);
//
// Algorithm, numbers: docs/kernels/convolution.md.
#pragma once

#include "convolution/problem.h"
#include "gemm.h"

namespace hipsight::kernels {

/// y = epilogue(x convolved with w), or rather correlated, as networks have it. Of the epilogue rows
/// are pixels, columns the filters of a group, and a batch is a group. `sizes`: what of tiles to
/// choose among, as gemm() has it.
template <TileSize... sizes, class Value, class Filter, class Result, class After = Identity>
Status convolution(Stream stream, const Images<Value>& x, const Filters<Filter>& w,
                   const Images<Result>& y, const Convolved& how = {}, After epilogue = {}) {
  return run_gemm<tile_sizes<sizes...>(), false>(
      stream, convolution_problem<Convolution::result>(x, w, y, how, epilogue), {});
}

/// dx, the gradient of the images, from that of the result.
template <TileSize... sizes, class Value, class Filter, class Result, class After = Identity>
Status convolution_of_images(Stream stream, const Images<Value>& dx, const Filters<Filter>& w,
                             const Images<Result>& dy, const Convolved& how = {},
                             After epilogue = {}) {
  if (how.is_strided())
    return run_gemm<tile_sizes<sizes...>(), false>(
        stream, convolution_problem<Convolution::images>(dx, w, dy, how, epilogue), {});
  return run_gemm<tile_sizes<sizes...>(), false>(
      stream, convolution_problem<Convolution::images, false>(dx, w, dy, how, epilogue), {});
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
