// Which tiles, and whether to split the depth: what would be done first.
#pragma once

#include <algorithm>
#include <cmath>

#include "../device.h"
#include "problem.h"

namespace hipsight::kernels {

struct GemmPlan {
  TileSize size;
  int splits;
};

/// Of the parts' sums, in f32, without the counters before them.
template <class Problem>
std::size_t sum_bytes(const Problem& problem, const GemmPlan& plan, Architecture architecture) {
  const Tiling tiling = problem.tiling(architecture, plan.size);
  return sizeof(float) * tiling.rows * tiling.columns *
         static_cast<std::size_t>(problem.tiles(tiling)) * plan.splits;
}
template <class Problem>
std::size_t workspace_bytes(const Problem& problem, const GemmPlan& plan,
                            Architecture architecture) {
  if (plan.splits == 1) return 0;
  return SplitDepth::counter_bytes + sum_bytes(problem, plan, architecture);
}

/// How much deeper a tile could be in the time that its begin takes and its end. Predicted, as the
/// tilings' speeds are, from depths of 512 and 1024.
inline double depth_of_start(Architecture architecture) {
  switch (architecture) {
    case Architecture::cdna4:
      return 800;
    case Architecture::cdna2:
    case Architecture::cdna3:
      return 400;
    default:
      return 270;
  }
}

/// How many bytes memory moves while a tile's last workgroup waits for the others, some 2 us.
inline double meeting_bytes(Architecture architecture) {
  switch (architecture) {
    case Architecture::rdna3:
    case Architecture::rdna4:
      return 2e6;
    case Architecture::cdna2:
      return 3e6;
    default:
      return 10e6;
  }
}

/// Whether a compute unit has room for two tiles, so that the last one of an odd number is alone;
/// else for more.
inline bool in_pairs(Architecture architecture) {
  return architecture == Architecture::cdna2 || architecture == Architecture::cdna3 ||
         architecture == Architecture::cdna4;
}

/// How long it takes, in multiply-adds that the whole GPU would do meanwhile in large tiles: rounds
/// of tiles, each compute unit one after the other, or reading the operands once, at the 70 % of
/// the bandwidth that is reached; and for a split, that the last part's compute unit reads the sums
/// of all parts, at its share of the bandwidth, as few bytes can be on their way to it.
template <class Problem>
double gemm_time(const Problem& problem, const GemmPlan& plan, const Device& device) {
  const Tiling tiling = problem.tiling(device.architecture, plan.size);
  const double count = 1.0 * problem.tiles(tiling) * problem.batches * plan.splits;
  const double rounds = std::ceil(count / device.compute_units);
  const double alone = rounds == 1 || (in_pairs(device.architecture) && std::fmod(rounds, 2) == 1);
  constexpr double measured = 4096;  // the depth that the tilings' speeds are of
  const double start = depth_of_start(device.architecture);
  const double depth =
      (std::ceil(1.0 * problem.a.columns / plan.splits) + start) * measured / (measured + start);
  const double tile = device.compute_units * tiling.rows * tiling.columns * depth;
  const double tiles =
      tile * 100 * ((rounds - alone) / tiling.percent + alone / tiling.percent_alone);
  const double part = sizeof(float) * std::min(tiling.rows, problem.c.rows) * tiling.columns;
  const double sums = plan.splits == 1 ? 0
                                       : part * plan.splits * device.compute_units +
                                             meeting_bytes(device.architecture);
  constexpr int element_bytes = sizeof(typename Problem::Element);
  const double operands = 1.0 * element_bytes * problem.batches * problem.a.columns *
                          (1.0 * problem.c.rows + problem.c.columns);
  const double a_byte =
      multiply_adds_a_byte(device.architecture, element_bytes, device.compute_units);
  const double reading = operands / 0.7 * a_byte;
  // Neither hides the other wholly.
  return std::max(tiles, reading) + std::min(tiles, reading) / 4 + sums * a_byte;
}

template <class Problem>
GemmPlan quickest_plan(const Problem& problem, const Device& device, std::size_t workspace) {
  GemmPlan best{TileSize::large, 1};
  double least = gemm_time(problem, best, device);
  const auto consider = [&](const GemmPlan& plan) {
    const double time = gemm_time(problem, plan, device);
    if (time < 0.98 * least) best = plan, least = time;  // else the simpler one
  };
  consider({TileSize::medium, 1});
  consider({TileSize::small, 1});
  for (const TileSize size : {TileSize::large, TileSize::medium, TileSize::small}) {
    const Tiling tiling = problem.tiling(device.architecture, size);
    const int tiles = problem.a.columns / problem.depth_of(tiling);
    // More than fit at once are not quicker: last parts that wait would take the room of others.
    const int most = problem.batches > 1 || problem.tiles(tiling) > SplitDepth::most_tiles
                         ? 1
                         : device.compute_units / std::max(1, problem.tiles(tiling));
    for (int splits = 2; splits <= std::min(most, tiles / 4); splits += std::max(1, splits / 4))
      if (workspace_bytes(problem, {size, splits}, device.architecture) <= workspace)
        consider({size, splits});
  }
  return best;
}

}  // namespace hipsight::kernels
