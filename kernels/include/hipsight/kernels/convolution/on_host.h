// The same convolutions on the scalar reference: one workgroup after the other, on the host.
#pragma once

#include "../gemm/on_host.h"
#include "problem.h"

namespace hipsight::kernels {

/// As convolution(), convolution_of_images() or convolution_of_filters() of ../convolution.h, with
/// host memory.
template <Convolution which, TileSize size = TileSize::large, class Value, class Filter,
          class Result, class After = Identity>
Status convolution_on_host(const Images<Value>& x, const Filters<Filter>& w,
                           const Images<Result>& y, const Convolved& how, After epilogue = {}) {
  const auto problem = convolution_problem<which>(x, w, y, how, epilogue);
  if (!problem.error().empty()) return {problem.error()};
  if (problem.empty()) return {};
  run_on_host<size, false>(problem);
  return {};
}

}  // namespace hipsight::kernels
