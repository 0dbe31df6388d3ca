// The same GEMM on the scalar reference: one workgroup after the other, on the host.
#pragma once

#include <memory>

#include "../status.h"
#include "problem.h"

namespace hipsight::kernels {

/// All workgroups of a launch, in the order of their indices.
template <TileSize size, bool in_shares, class Problem>
void run_on_host(const Problem& problem) {
  using Workgroup = typename Problem::template Workgroup<size>;
  const auto shared = std::make_unique<typename Workgroup::Shared>();
  const auto arguments = problem.arguments(Workgroup::tiling);
  const Grid grid = problem.template grid<in_shares>(size, Workgroup::tiling);
  for (int z = 0; z < grid.z; z++)
    for (int y = 0; y < grid.y; y++)
      for (int x = 0; x < grid.x; x++)
        Workgroup::template run<in_shares>(arguments, *shared, x, y, z);
}

/// As gemm() of ../gemm.h, with host memory.
template <TileSize size = TileSize::large, class A, class B, class C, class E = Identity>
Status gemm_on_host(const A& a, const B& b, const C& c, E epilogue = {}, int batches = 1) {
  const auto problem = gemm_problem(a, b, c, epilogue, batches);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  run_on_host<size, false>(problem);
  return {};
}

}  // namespace hipsight::kernels
