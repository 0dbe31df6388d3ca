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
  if constexpr (in_shares) {
    for (int share = 0; share < problem.shares.count(); share++)
      Workgroup::run_share(arguments, *shared, share);
  } else {
    for (int batch = 0; batch < problem.batches; batch++)
      for (int tile = 0; tile < problem.tiles(Workgroup::tiling); tile++)
        Workgroup::run(arguments, *shared, tile, batch);
  }
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
