// C = epilogue(A B) where groups of A's rows have a B each: tiles are found by the GPU, and are
// computed as those of any GEMM.
#pragma once

#include "../gemm/kernel.h"
#include "groups.h"

namespace hipsight::kernels {

template <class Gemm>
struct GroupedArguments {
  Gemm gemm;  // of all groups: a batch is one of them
  GroupTiles tiles;
};

/// What one workgroup does: a tile of a group. It is one of C from the group's first row on, which
/// ends where the group does.
template <class Gemm>
struct GroupedWorkgroup {
  using Arguments = GroupedArguments<typename Gemm::Arguments>;
  using Shared = typename Gemm::Shared;
  static constexpr Tiling tiling = Gemm::tiling;
  static constexpr int threads = Gemm::threads;

  HIPSIGHT_INLINE static void run(const Arguments& all, Shared& shared, int workgroup) {
    all.tiles.template of<tiling.rows>(workgroup, [&](const GroupTile& tile) {
      auto arguments = Gemm::of_batch(all.gemm, tile.group);
      arguments.a.rows = arguments.c.rows = tile.end;
      Gemm::run_at(arguments, shared, tile.group, {tile.row, tile.column * tiling.columns});
    });
  }
};

}  // namespace hipsight::kernels
