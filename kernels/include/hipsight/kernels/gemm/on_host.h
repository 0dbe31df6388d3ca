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
      for (std::int64_t x = 0; x < grid.x; x++)
        Workgroup::template run<in_shares>(arguments, *shared, static_cast<int>(x), y, z);
}

/// As gemm() of ../gemm.h, with host memory.
template <TileSize size = TileSize::large, class OfA, class OfB, class OfC, class After = Identity>
Status gemm_on_host(const OfA& a, const OfB& b, const OfC& c, After epilogue = {},
                    int batches = 1) {
  const auto problem = gemm_problem(a, b, c, epilogue, batches);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  run_on_host<size, false>(problem);
  return {};
}

}  // namespace hipsight::kernels
