// The gradients of attention: of Q, K and V, given that of O = softmax(scale Q K^T) V. For f16 and
// bf16, with sums in f32; causal and windows, heads that share keys, sequences of any lengths.
//
//   AttentionOptions options{.band = Band::causal(), .log_sums = sums};
//   ... attention(stream, q, k, v, o, options) ...
//   const Workspace lent{memory, attention_backward_workspace(q, options)};
//   if (Status status = attention_backward(stream, q, k, v, o, d_o, d_q, d_k, d_v, options, lent);
//       !status)
//     fail(status.error);
//
// Algorithm, tilings, numbers: docs/kernels/attention_backward.md.
#pragma once

#include "attention_backward/problem.h"
#include "device.h"
#include "status.h"

namespace hipsight::kernels {

template <class Workgroup>
HIPSIGHT_KERNEL(Workgroup::threads)
void attention_backward_kernel([[maybe_unused]] typename Workgroup::Arguments arguments) {
#ifndef HIPSIGHT_STARTS_ONLY
  __shared__ typename Workgroup::Shared shared;
  Workgroup::run(arguments, shared, arch::workgroup());
#endif
}

template <Gradients of, class Problem>
std::string launch_backward(Stream stream, const Problem& problem, const Workspace& workspace,
                            Architecture architecture) {
  if (problem.empty(of)) return {};
  using Workgroup = typename Problem::template Workgroup<of>;
  const AttentionTiling tiling = attention_backward_tiling(architecture, of, Workgroup::head);
  const int rows = tiling.waves * tiling.wave_queries;
  return launch(attention_backward_kernel<Workgroup>, {problem.workgroups(of, rows)},
                tiling.waves * facts(architecture).wave, stream,
                problem.arguments(of, rows, workspace));
}

/// Bytes of workspace that attention_backward() of the same Q and options needs.
template <class OfQ>
std::size_t attention_backward_workspace(const OfQ& q, const AttentionOptions& options = {}) {
  return sizeof(float) * static_cast<std::size_t>(product({q.length, q.heads, options.batches}));
}

/// On the current device, after what is before it in the stream. `options` and O are those of
/// attention(), with the log_sums that it gave. The same call on the same GPU gives the same bits.
template <class OfQ, class OfK, class OfV, class OfO, class OfGradient, class OfDq, class OfDk,
          class OfDv>
Status attention_backward(Stream stream, const OfQ& q, const OfK& k, const OfV& v, const OfO& o,
                          const OfGradient& d_o, const OfDq& d_q, const OfDk& d_k, const OfDv& d_v,
                          const AttentionOptions& options, const Workspace& workspace) {
  const auto problem = attention_backward_problem(q, k, v, o, d_o, d_q, d_k, d_v, options);
  if (std::string error = problem.error(workspace); !error.empty()) return {std::move(error)};
  const Device device = current_device();
  if (!device.error.empty()) return {"attention_backward: " + device.error};
  const Architecture on = device.architecture;
  std::string error = launch_backward<Gradients::queries>(stream, problem, workspace, on);
  if constexpr (keys_and_values_at_once(OfQ::size)) {
    if (error.empty())
      error = launch_backward<Gradients::keys_and_values>(stream, problem, workspace, on);
  } else {
    if (error.empty()) error = launch_backward<Gradients::keys>(stream, problem, workspace, on);
    if (error.empty()) error = launch_backward<Gradients::values>(stream, problem, workspace, on);
  }
  return {error.empty() ? error : "attention_backward: " + error};
}

}  // namespace hipsight::kernels
