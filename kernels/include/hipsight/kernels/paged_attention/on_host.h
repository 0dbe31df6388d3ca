// The same attention on the scalar reference: one workgroup after the other, on the host.
#pragma once

#include <memory>

#include "../status.h"
#include "problem.h"

namespace hipsight::kernels {

/// As paged_attention() of ../paged_attention.h, with host memory; one split unless asked for more.
template <class OfQ, class Cached, int head, class OfO, class... Asked>
Status paged_attention_on_host(const OfQ& q, const PagedCache<Cached, head>& cache, const OfO& o,
                               const PagedAttentionOptions& options = {}, const Asked&... asked) {
  const auto problem = paged_attention_problem(q, cache, o, options, asked...);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  const int splits = options.splits ? options.splits : 1;
  if (std::string error = problem.error_of_workspace(splits); !error.empty())
    return {std::move(error)};
  using Problem = decltype(problem);
  using Workgroup = typename std::remove_const_t<Problem>::Workgroup;
  using Combine = typename std::remove_const_t<Problem>::Combine;
  const auto arguments = problem.arguments(Architecture::host, splits);
  const auto shared = std::make_unique<typename Workgroup::Shared>();
  const auto workgroups = static_cast<int>(problem.workgroups(Architecture::host, splits));
  for (int i = 0; i < workgroups; i++) Workgroup::run(arguments, *shared, i);
  if (splits > 1)
    for (int i = 0; i < problem.rows() * Combine::parts; i++) Combine::run(arguments.results, i);
  return {};
}

}  // namespace hipsight::kernels
