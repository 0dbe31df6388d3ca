// The same grouped GEMM on the scalar reference: one workgroup after the other, on the host.
#pragma once

#include <memory>

#include "../status.h"
#include "problem.h"

namespace hipsight::kernels {

/// As grouped_gemm() of ../grouped_gemm.h, with host memory.
template <TileSize size = TileSize::large, class OfA, class OfB, class OfC, class After = Identity>
Status grouped_gemm_on_host(const OfA& a, const OfB& b, const OfC& c, const RowGroups& groups,
                            After epilogue = {}) {
  const auto problem = grouped_gemm_problem(a, b, c, groups, epilogue);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  using Workgroup = typename decltype(problem)::template Workgroup<size>;
  const auto shared = std::make_unique<typename Workgroup::Shared>();
  const auto arguments = problem.arguments(Workgroup::tiling);
  const auto workgroups = static_cast<int>(problem.grid(Workgroup::tiling).x);
  for (int i = 0; i < workgroups; i++) Workgroup::run(arguments, *shared, i);
  return {};
}

}  // namespace hipsight::kernels
