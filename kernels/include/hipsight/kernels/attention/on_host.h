// The same attention on the scalar reference: one workgroup after the other, on the host.
#pragma once

#include <memory>

#include "../status.h"
#include "problem.h"

namespace hipsight::kernels {

/// As attention() of ../attention.h, with host memory.
template <class OfQ, class OfK, class OfV, class OfO, class... Asked>
Status attention_on_host(const OfQ& q, const OfK& k, const OfV& v, const OfO& o,
                         const AttentionOptions& options = {}, const Asked&... asked) {
  const auto problem = attention_problem(q, k, v, o, options, asked...);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  using Workgroup = typename decltype(problem)::Workgroup;
  const auto shared = std::make_unique<typename Workgroup::Shared>();
  const auto workgroups = static_cast<int>(problem.workgroups(Workgroup::queries));
  const auto arguments = problem.arguments(Workgroup::queries);
  for (int i = 0; i < workgroups; i++) Workgroup::run(arguments, *shared, i);
  return {};
}

}  // namespace hipsight::kernels
