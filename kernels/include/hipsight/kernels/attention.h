// O = softmax(scale Q K^T) V for f16 and bf16, with sums in f32: heads that share keys, causal
// and sliding windows, sequences of any lengths.
//
//   auto q = packed_sequences<128>(q_data, 2048, 32), o = packed_sequences<128>(o_data, 2048, 32);
//   auto k = packed_sequences<128>(k_data, 2048, 8), v = packed_sequences<128>(v_data, 2048, 8);
//   if (Status status = attention(stream, q, k, v, o, {.band = Band::causal()}); !status)
//     fail(status.error);
//
// Algorithm, tilings, numbers: docs/kernels/attention.md.
#pragma once

#include "attention/problem.h"
#include "device.h"
#include "status.h"

namespace hipsight::kernels {

template <class Workgroup, class Arguments>
HIPSIGHT_KERNEL(Workgroup::threads)
void attention_kernel([[maybe_unused]] Arguments arguments) {
#ifndef HIPSIGHT_STARTS_ONLY
  __shared__ typename Workgroup::Shared shared;
  Workgroup::run(arguments, shared, arch::workgroup());
#endif
}

/// On the current device, after what is before it in the stream. `asked`: SoftCap and
/// Sinks, for which there are kernels of their own.
template <class OfQ, class OfK, class OfV, class OfO, class... Asked>
Status attention(Stream stream, const OfQ& q, const OfK& k, const OfV& v, const OfO& o,
                 const AttentionOptions& options = {}, const Asked&... asked) {
  const auto problem = attention_problem(q, k, v, o, options, asked...);
  if (std::string error = problem.error(); !error.empty()) return {std::move(error)};
  if (problem.empty()) return {};
  const Device device = current_device();
  if (!device.error.empty()) return {"attention: " + device.error};
  const AttentionTiling tiling = attention_tiling(device.architecture, OfQ::size, OfV::size);
  const int queries = tiling.waves * tiling.wave_queries;
  const int threads = tiling.waves * facts(device.architecture).wave;
  using Workgroup = typename decltype(problem)::Workgroup;
  const auto arguments = problem.arguments(queries);
  const std::string error =
      launch(attention_kernel<Workgroup, std::remove_const_t<decltype(arguments)>>,
             {problem.workgroups(queries)}, threads, stream, arguments);
  return {error.empty() ? error : "attention: " + error};
}

}  // namespace hipsight::kernels
