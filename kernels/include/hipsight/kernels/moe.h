// A mixture of experts, but for its matrices (grouped_gemm.h): who goes where, and back.
//
//   moe_route(stream, scores, experts, weights, {.chosen = 8});          // tokens x 8 of each
//   moe_sort(stream, experts.data, tokens * 8, 8, 128, starts, rows, places);
//   grouped_gemm(stream, indexed_rows(x, rows, tokens * 8), w1, h, {starts, 128});  // and the
//   second moe_combine(stream, y, places, weights, out);
//
// docs/kernels/moe.md
#pragma once

#include "moe/problem.h"
#include "status.h"
#if defined(__HIP__) || defined(__CUDACC__)
#include "device.h"
#endif

namespace hipsight::kernels {

#if defined(__HIP__) || defined(__CUDACC__)

template <class Value>
HIPSIGHT_KERNEL(Route<Value>::threads)
void moe_route_kernel([[maybe_unused]] Route<Value> route) {
#ifndef HIPSIGHT_STARTS_ONLY
  route.run(arch::workgroup());
#endif
}

inline constexpr int moe_sort_threads = 1024;

/// One that is no template, as templates are: in each object that uses it.
template <class Sort>
HIPSIGHT_KERNEL(moe_sort_threads)
void moe_sort_kernel([[maybe_unused]] Sort sort) {
#ifndef HIPSIGHT_STARTS_ONLY
  __shared__ typename Sort::Shared shared;
  sort.run(arch::workgroup(), shared);
#endif
}

inline constexpr int moe_combine_threads = 256;

template <class Value>
HIPSIGHT_KERNEL(moe_combine_threads)
void moe_combine_kernel([[maybe_unused]] CombineExperts<Value> combine) {
#ifndef HIPSIGHT_STARTS_ONLY
  combine.run(arch::workgroup());
#endif
}

/// The experts of each token, the best first, and their weights. Of equal experts the first is
/// taken; scores that are no numbers come last.
template <class Value>
Status moe_route(Stream stream, const RowMajor<const Value>& scores, const RowMajor<int>& experts,
                 const RowMajor<float>& weights, const RouteOptions& options) {
  const Route<Value> route{scores, experts, weights, options};
  if (std::string error = wrong_with(route); !error.empty()) return {std::move(error)};
  if (scores.rows == 0) return {};
  const Device device = current_device();
  if (!device.error.empty()) return {"moe_route: " + device.error};
  constexpr int waves = 4;
  const std::string error = launch(moe_route_kernel<Value>, {ceil_div(scores.rows, waves)},
                                   waves * facts(device.architecture).wave, stream, route);
  return {error.empty() ? error : "moe_route: " + error};
}

/// Of `choices`, which are `chosen` of each token, those of expert 0 first, then of expert 1, ...:
/// in the order in which they come. starts: count + 1, where each expert's rows begin; rows: the
/// token of each row; places: the row of each choice, or -1 if its expert is none.
inline Status moe_sort(Stream stream, const int* experts, int choices, int chosen, int count,
                       int* starts, int* rows, int* places) {
  const SortByExpert sort{experts, choices, chosen, count, starts, rows, places};
  if (std::string error = wrong_with(sort); !error.empty()) return {std::move(error)};
  const std::string error =
      launch(moe_sort_kernel<SortByExpert>, {count}, moe_sort_threads, stream, sort);
  return {error.empty() ? error : "moe_sort: " + error};
}

/// out[token] = sum of weights(token, i) in[places[token, i]]
template <class Value>
Status moe_combine(Stream stream, const RowMajor<const Value>& in, const int* places,
                   const RowMajor<const float>& weights, const RowMajor<Value>& out) {
  const CombineExperts<Value> combine{in, places, weights, out};
  if (std::string error = wrong_with(combine); !error.empty()) return {std::move(error)};
  if (out.rows == 0 || out.columns == 0) return {};
  const std::string error =
      launch(moe_combine_kernel<Value>, {out.rows}, moe_combine_threads, stream, combine);
  return {error.empty() ? error : "moe_combine: " + error};
}

#endif

}  // namespace hipsight::kernels
