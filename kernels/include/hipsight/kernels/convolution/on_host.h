// The same convolutions on the scalar reference: one workgroup after the other, on the host.
#pragma once

#include <type_traits>
#include <vector>

#include "../gemm/on_host.h"
#include "problem.h"

namespace hipsight::kernels {

/// As convolution(), convolution_of_images() or convolution_of_filters() of ../convolution.h, with
/// host memory.
template <Convolution which, TileSize size = TileSize::large, class Value, class Filter,
          class Result, class After = Identity>
Status convolution_on_host(const Images<Value>& x, const Filters<Filter>& w,
                           const Images<Result>& y, const Convolved& how, After epilogue = {}) {
  using Element = std::remove_const_t<Value>;
  std::vector<Element> turned;
  if constexpr (which == Convolution::images) turned.resize(elements_of(w) + 1);
  const auto problem = convolution_problem<which>(x, w, y, how, epilogue, turned.data());
  if (!problem.error().empty()) return {problem.error()};
  if (problem.empty()) return {};
  if constexpr (which == Convolution::images) {
    const TurnFilters<Element> turn = convolution_tiles(x, w, y, how).turn(turned.data());
    typename TurnFilters<Element>::Shared shared;
    for (int i = 0; i < turn.workgroups(); i++) turn.run(i, shared);
  }
  run_on_host<size, false>(problem);
  return {};
}

}  // namespace hipsight::kernels
