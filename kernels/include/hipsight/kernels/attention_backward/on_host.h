// The same gradients on the scalar reference: one workgroup after the other, on the host.
#pragma once

#include <memory>
#include <vector>

#include "../status.h"
#include "problem.h"

namespace hipsight::kernels {

template <Gradients of, class Problem>
void run_backward_on_host(const Problem& problem, const Workspace& workspace) {
  using Workgroup = typename Problem::template Workgroup<of>;
  if (problem.empty(of)) return;
  const auto shared = std::make_unique<typename Workgroup::Shared>();
  const auto arguments = problem.arguments(of, Workgroup::rows, workspace);
  const auto workgroups = static_cast<int>(problem.workgroups(of, Workgroup::rows));
  for (int i = 0; i < workgroups; i++) Workgroup::run(arguments, *shared, i);
}

/// As attention_backward() of ../attention_backward.h, with host memory, and a workspace of its
/// own.
template <class OfQ, class OfK, class OfV, class OfO, class OfGradient, class OfDq, class OfDk,
          class OfDv>
Status attention_backward_on_host(const OfQ& q, const OfK& k, const OfV& v, const OfO& o,
                                  const OfGradient& d_o, const OfDq& d_q, const OfDk& d_k,
                                  const OfDv& d_v, const AttentionOptions& options) {
  const auto problem = attention_backward_problem(q, k, v, o, d_o, d_q, d_k, d_v, options);
  std::vector<float> numbers(problem.workspace_bytes() / sizeof(float));
  const Workspace workspace{numbers.data(), problem.workspace_bytes()};
  if (std::string error = problem.error(workspace); !error.empty()) return {std::move(error)};
  run_backward_on_host<Gradients::queries>(problem, workspace);
  if constexpr (keys_and_values_at_once(OfQ::size)) {
    run_backward_on_host<Gradients::keys_and_values>(problem, workspace);
  } else {
    run_backward_on_host<Gradients::keys>(problem, workspace);
    run_backward_on_host<Gradients::values>(problem, workspace);
  }
  return {};
}

}  // namespace hipsight::kernels
