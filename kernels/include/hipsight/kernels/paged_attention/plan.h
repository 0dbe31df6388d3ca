// Among how many workgroups the keys of a query are split.
#pragma once

#include <algorithm>

#include "../device.h"
#include "problem.h"

namespace hipsight::kernels {

/// Workgroups that a compute unit holds at once, by their shared memory; more do not help.
template <class Problem>
int resident_workgroups(const Problem& problem, Architecture architecture) {
  constexpr int enough = 4;
  return std::clamp(facts(architecture).shared_bytes / problem.shared_bytes(architecture), 1,
                    enough);
}

/// The number that is quickest: rounds of workgroups, each of as many tiles as its split has.
template <class Problem>
int quickest_splits(const Problem& problem, const Device& device) {
  constexpr int start = 2, combine = 2;  // in the time of a tile: what is before the first one, and
                                         // the second kernel
  const std::int64_t at_once =
      std::int64_t{device.compute_units} * resident_workgroups(problem, device.architecture);
  const int tiles = problem.tiles(device.architecture);
  const auto time = [&](int splits) {
    const std::int64_t workgroups = problem.workgroups(device.architecture, splits);
    const std::int64_t rounds = (workgroups + at_once - 1) / at_once;
    return rounds * (ceil_div(tiles, splits) + start) + (splits > 1 ? combine : 0);
  };
  int best = 1;
  for (int splits = 2; splits <= std::min(tiles, most_splits); splits++)
    if (time(splits) < time(best)) best = splits;
  return best;
}

}  // namespace hipsight::kernels
