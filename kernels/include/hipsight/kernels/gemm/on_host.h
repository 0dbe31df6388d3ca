// The same GEMM on the scalar reference: one workgroup after the other, on the host.
#pragma once

#include <memory>

#include "../status.h"
#include "problem.h"

namespace hipsight::kernels {

/// All workgroups of a launch, in the order of their indices.
template <TileSize size, bool is_split, class Problem>
void run_on_host(const Problem& problem) {
  using Workgroup = typename Problem::template Workgroup<size>;
  const auto shared = std::make_unique<typename Workgroup::Shared>();
  const int tiles = problem.tiles(Workgroup::tiling);
  const auto arguments = problem.arguments(Workgroup::tiling);
  for (int y = 0; y < (is_split ? tiles : problem.batches); y++)
    for (int x = 0; x < (is_split ? problem.split.count : tiles); x++)
      Workgroup::template run<is_split>(arguments, *shared, x, y);
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
