// The same on the scalar reference, on the host.
#pragma once

#include "../status.h"
#include "problem.h"

namespace hipsight::kernels {

template <class Value>
Status moe_route_on_host(const RowMajor<const Value>& scores, const RowMajor<int>& experts,
                         const RowMajor<float>& weights, const RouteOptions& options) {
  const Route<Value> route{scores, experts, weights, options};
  if (std::string error = wrong_with(route); !error.empty()) return {std::move(error)};
  for (int token = 0; token < scores.rows; token++) route.run(token);
  return {};
}

inline Status moe_sort_on_host(const int* experts, int choices, int chosen, int count, int* starts,
                               int* rows, int* places) {
  const SortByExpert sort{experts, choices, chosen, count, starts, rows, places};
  if (std::string error = wrong_with(sort); !error.empty()) return {std::move(error)};
  SortByExpert::Shared shared;
  for (int expert = 0; expert < count; expert++) sort.run(expert, shared);
  return {};
}

template <class Value>
Status moe_combine_on_host(const RowMajor<const Value>& in, const int* places,
                           const RowMajor<const float>& weights, const RowMajor<Value>& out) {
  const CombineExperts<Value> combine{in, places, weights, out};
  if (std::string error = wrong_with(combine); !error.empty()) return {std::move(error)};
  for (int token = 0; token < out.rows; token++) combine.run(token);
  return {};
}

}  // namespace hipsight::kernels
