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
  const int workgroups = problem.tiles(Workgroup::tiling) * problem.split.count;
  for (int batch = 0; batch < problem.batches; batch++)
    for (int workgroup = 0; workgroup < workgroups; workgroup++)
      Workgroup::template run<is_split>(problem.arguments(), *shared, workgroup, batch);
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
