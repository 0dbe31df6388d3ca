// Which tiles, and whether to split the depth: what would be done first.
#pragma once

#include <algorithm>
#include <cmath>

#include "../device.h"
#include "problem.h"

namespace hipsight::kernels {

struct GemmPlan {
  TileSize size;
  int shares = 0;  // of the depth of all tiles; 0: each tile is one workgroup's
};

/// Sizes of tiles to choose among.
struct TileSizes {
  bool large = false, medium = false, small = false, tiny = false;

  HIPSIGHT_INLINE constexpr bool has(TileSize size) const {
    return size == TileSize::large    ? large
           : size == TileSize::medium ? medium
           : size == TileSize::small  ? small
                                      : tiny;
  }
};
inline constexpr TileSizes all_tile_sizes{true, true, true, true};

/// Flags, and a sum in f32 for each share.
inline std::size_t workspace_bytes(const GemmShape& shape, const GemmPlan& plan,
                                   Architecture architecture) {
  if (plan.shares == 0) return 0;
  const Tiling tiling = shape.tiling(architecture, plan.size);
  return DepthShares::flag_bytes +
         sizeof(float) * tiling.rows * tiling.columns * static_cast<std::size_t>(plan.shares);
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

/// How many bytes memory moves while a tile's last workgroup waits for the others, some 2 us; an
/// eighth of it more for each of them (found by trying).
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
/// of workgroups, each compute unit one after the other, or reading the operands once, at the 70 %
/// of the bandwidth that is reached; and for shares, that a tile's last workgroup reads the sums of
/// the others, at less than its compute unit's share of the bandwidth.
HIPSIGHT_APART inline double gemm_time(const GemmShape& shape, const GemmPlan& plan,
                                       const Device& device) {
  const Tiling tiling = shape.tiling(device.architecture, plan.size);
  const double tiles = 1.0 * shape.tiles(tiling) * shape.batches;
  // Of a workgroup: its depth, and the parts of tiles that it has. Where they begin at different
  // depths they share less of what they read: it takes as long as two more (found by trying).
  double depth = shape.depth, parts = 1, count = tiles;
  if (plan.shares) {
    const double deep = shape.depth_in_units(tiling);
    const bool alike = std::fmod(plan.shares, tiles) == 0;
    const double each = std::ceil(tiles * deep / plan.shares);
    depth = each * shape.share_unit(tiling);
    count = alike ? tiles * std::ceil(deep / each) : std::ceil(tiles * deep / each);
    if (!alike) parts = std::ceil(each / deep) + 3;
  }
  const double rounds = std::ceil(count / device.compute_units);
  const double alone = rounds == 1 || (in_pairs(device.architecture) && std::fmod(rounds, 2) == 1);
  constexpr double measured = 4096;  // the depth that the tilings' speeds are of
  const double start = depth_of_start(device.architecture);
  const double work = (depth + parts * start) * measured / (measured + start);
  const double round = device.compute_units * tiling.rows * tiling.columns * work;
  const double multiplying =
      round * 100 * ((rounds - alone) / tiling.percent + alone / tiling.percent_alone);
  const double part = sizeof(float) * std::min(tiling.rows, shape.rows) * tiling.columns;
  const double of_tile = count / tiles;
  const double sums = plan.shares ? 1.2 * part * of_tile * device.compute_units +
                                        meeting_bytes(device.architecture) * (1 + of_tile / 8)
                                  : 0;
  const int element_bytes = shape.element_bytes;
  const double operands = 1.0 * element_bytes * shape.batches * shape.depth *
                          (1.0 * shape.rows + shape.b_share * shape.columns);
  const double a_byte =
      multiply_adds_a_byte(device.architecture, element_bytes, device.compute_units);
  const double reading = operands / 0.7 * a_byte;
  // Neither hides the other wholly.
  return std::max(multiplying, reading) + std::min(multiplying, reading) / 4 + sums * a_byte;
}

/// Among the plans whose sums the workspace has room for.
HIPSIGHT_APART inline GemmPlan quickest_plan(const GemmShape& shape, const Device& device,
                                             std::size_t workspace,
                                             const TileSizes& sizes = all_tile_sizes) {
  GemmPlan best{};
  double least = INFINITY;
  const auto consider = [&](const GemmPlan& plan) {
    const double time = gemm_time(shape, plan, device);
    const double enough = plan.shares && best.shares ? 1 : 0.98;  // else the simpler one
    if (time < enough * least) best = plan, least = time;
  };
  for (const TileSize size : {TileSize::large, TileSize::medium, TileSize::small})
    if (sizes.has(size)) consider({size});
  for (const TileSize size : {TileSize::large, TileSize::medium, TileSize::small, TileSize::tiny}) {
    if (!sizes.has(size)) continue;
    if (size == TileSize::tiny && !shape.has_tiny_tiles(device.architecture)) continue;
    const Tiling tiling = shape.tiling(device.architecture, size);
    const std::int64_t tiles = product({shape.tiles(tiling), shape.batches});
    const std::int64_t units = product({tiles, shape.depth_in_units(tiling)});
    const auto consider_shares = [&](std::int64_t count) {
      const GemmPlan plan{size, static_cast<int>(count)};
      if (count <= DepthShares::most && units <= INT32_MAX / 2 && units >= 4 * count &&
          workspace_bytes(shape, plan, device.architecture) <= workspace)
        consider(plan);
    };
    // As many for each tile, or for each compute unit: but not many tiles for one, whose neighbours
    // would have others, with which they share less of what they read. Operands with factors of
    // their blocks take longer to begin with a part: theirs must be many (192 tiles of 1536 x 2048
    // x 7168 on MI300X: 82 us instead of 63 in equal shares).
    const std::int64_t units_of_gpu = device.compute_units;
    const std::int64_t most = (shape.scaled ? 1 : 2) * units_of_gpu;
    for (std::int64_t parts = 2; parts * tiles <= most;
         parts += std::max<std::int64_t>(1, parts / 8))
      consider_shares(parts * tiles);
    if (has_only_parts(size) || (shape.scaled && tiles < units_of_gpu)) continue;
    for (const std::int64_t count : {units_of_gpu, 2 * units_of_gpu})
      if (2 * tiles <= 3 * count) consider_shares(count);
  }
  return best;
}

}  // namespace hipsight::kernels
