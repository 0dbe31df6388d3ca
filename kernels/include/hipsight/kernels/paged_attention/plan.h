// Among how many workgroups the keys of a query are split.
#pragma once

#include <algorithm>

#include "../device.h"
#include "problem.h"

namespace hipsight::kernels {

/// The number that is quickest, if a compute unit holds so many workgroups at once. What it takes
/// is counted in tiles that one compute unit reads at its share of the memory's speed.
template <class Problem>
int quickest_splits(const Problem& problem, const Device& device, int resident) {
  // Fewer workgroups than are enough to keep a compute unit's memory requests under way take as
  // long. Before a workgroup's first tile, it waits as long as one tile takes; what combines the
  // splits, for two, and for each 16 splits that it reads at once. Predicted.
  constexpr int start = 1, combine = 2, read_at_once = 16;
  const int enough = paged_workgroups_enough(device.architecture);
  const std::int64_t units = device.compute_units;
  const int tiles = problem.tiles(device.architecture);
  const auto time = [&](int splits) {
    const std::int64_t workgroups = problem.workgroups(device.architecture, splits);
    const std::int64_t rounds = (workgroups + units * resident - 1) / (units * resident);
    const std::int64_t of_unit = std::max((workgroups + units - 1) / units, enough * rounds);
    return of_unit * (ceil_div(tiles, splits) + start) +
           (splits > 1 ? combine + ceil_div(splits, read_at_once) : 0);
  };
  int best = 1;
  for (int splits = 2; splits <= std::min(tiles, most_splits); splits++)
    if (time(splits) < time(best)) best = splits;
  return best;
}

}  // namespace hipsight::kernels
