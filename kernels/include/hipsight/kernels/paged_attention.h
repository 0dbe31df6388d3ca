// O = softmax(scale Q K^T) V for f16 and bf16 where keys and values are in the pages of a
// cache: decoding. One query of a sequence or a few, heads that share keys, sliding windows, caches
// of the same type or of fp8. Latents (MLA), of which 576 elements are keys and the first 512
// values.
//
//   auto q = packed_sequences<128>(q_data, 1, 32), o = packed_sequences<128>(o_data, 1, 32);
//   auto cache = pages_by_place<128>(keys, values, 8, 16, {pages, most_pages, lengths});
//   PagedAttentionOptions options{.batches = 16};
//   options.workspace.bytes = paged_attention_workspace(q, cache, o, options);
//   ... options.workspace.data = ...
//   if (Status status = paged_attention(stream, q, cache, o, options); !status)
//     fail(status.error);
//
// Algorithm, tilings, numbers: docs/kernels/paged_attention.md.
#pragma once

#include "device.h"
#include "paged_attention/plan.h"
#include "paged_attention/problem.h"
#include "status.h"

namespace hipsight::kernels {

template <class Workgroup>
HIPSIGHT_KERNEL(Workgroup::threads)
void paged_attention_kernel([[maybe_unused]] typename Workgroup::Arguments arguments) {
#ifndef HIPSIGHT_STARTS_ONLY
  __shared__ typename Workgroup::Shared shared;
  Workgroup::run(arguments, shared, arch::workgroup());
#endif
}

template <class Workgroup>
HIPSIGHT_KERNEL(Workgroup::threads)
void combine_splits_kernel([[maybe_unused]] typename Workgroup::Arguments arguments) {
#ifndef HIPSIGHT_STARTS_ONLY
  Workgroup::run(arguments, arch::workgroup());
#endif
}

/// As many splits as are asked for, or as are quickest.
template <class Problem>
int paged_splits(const Problem& problem, const Device& device) {
  if (problem.options.splits) return problem.options.splits;
  return quickest_splits(problem, device,
                         resident_workgroups(paged_attention_kernel<typename Problem::Workgroup>,
                                             Problem::threads(device.architecture)));
}

/// Bytes of workspace that paged_attention() of the same arguments needs to be quickest, or for the
/// splits that are asked for; 0 if it needs none.
template <class OfQ, class Cached, int head, class OfO, class... Asked>
std::size_t paged_attention_workspace(const OfQ& q, const PagedCache<Cached, head>& cache,
                                      const OfO& o, const PagedAttentionOptions& options = {},
                                      const Asked&... asked) {
  const auto problem = paged_attention_problem(q, cache, o, options, asked...);
  const Device device = current_device();
  if (!problem.error().empty() || problem.empty() || !device.error.empty()) return 0;
  return problem.workspace_bytes(paged_splits(problem, device));
}

/// On the current device, after what is before it in the stream. Without splits that are asked for,
/// there are no more than the workspace is large enough for.
template <class OfQ, class Cached, int head, class OfO, class... Asked>
Status paged_attention(Stream stream, const OfQ& q, const PagedCache<Cached, head>& cache,
                       const OfO& o, const PagedAttentionOptions& options = {},
                       const Asked&... asked) {
  const auto problem = paged_attention_problem(q, cache, o, options, asked...);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  const Device device = current_device();
  if (!device.error.empty()) return {"paged_attention: " + device.error};
  int splits = paged_splits(problem, device);
  if (!options.splits) splits = problem.splits_that_fit(splits);
  if (std::string error = problem.error_of_workspace(splits); !error.empty())
    return {std::move(error)};

  using Problem = std::remove_const_t<decltype(problem)>;
  const auto arguments = problem.arguments(device.architecture, splits);
  std::string error = launch(paged_attention_kernel<typename Problem::Workgroup>,
                             {problem.workgroups(device.architecture, splits)},
                             problem.threads(device.architecture), stream, arguments);
  if (error.empty() && splits > 1)
    error = launch(combine_splits_kernel<typename Problem::Combine>,
                   {problem.rows() * Problem::Combine::parts}, facts(device.architecture).wave,
                   stream, arguments.results);
  return {error.empty() ? error : "paged_attention: " + error};
}

}  // namespace hipsight::kernels
