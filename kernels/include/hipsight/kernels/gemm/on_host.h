// The same GEMM on the scalar reference: one workgroup after the other, on the host.
#pragma once

#include <memory>

#include "../status.h"
#include "problem.h"

namespace hipsight::kernels {

/// As gemm() of ../gemm.h, with host memory.
template <TileSize size = TileSize::large, class A, class B, class C, class E = Identity>
Status gemm_on_host(const A& a, const B& b, const C& c, E epilogue = {}, int batches = 1) {
  const auto problem = gemm_problem(a, b, c, epilogue, batches);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  using Workgroup = typename decltype(problem)::template Workgroup<size>;
  const auto shared = std::make_unique<typename Workgroup::Shared>();
  for (int batch = 0; batch < batches; batch++)
    for (int tile = 0; tile < problem.tiles(Workgroup::tiling); tile++)
      Workgroup::template run<false>(problem.arguments(), *shared, tile, batch);
  return {};
}

}  // namespace hipsight::kernels
