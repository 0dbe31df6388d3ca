// How attention to a paged cache is cut into tiles on each GPU (docs/kernels/paged_attention.md).
#pragma once

#include "../attention/tilings.h"

namespace hipsight::kernels {

/// A workgroup's queries are those of `row_waves` waves. Of so many of its waves each computes the
/// scores of the same queries, and has a part of the columns of their results.
struct PagedTiling {
  AttentionTiling tile;
  int row_waves = 1;

  HIPSIGHT_INLINE constexpr int rows() const { return row_waves * tile.wave_queries; }
};

HIPSIGHT_INLINE constexpr PagedTiling paged_tiling(Architecture architecture, int head) {
  const bool latent = head > 256;
  switch (architecture) {
    case Architecture::cdna2:
    case Architecture::cdna3:
    case Architecture::cdna4:
      if (latent) return {{32, 4, 32, 1, {.anew = true}}, 2};
      return {{32, head > 128 ? 2 : 1, 32, 1}};
    case Architecture::rdna3:
      if (latent) return {{16, 8, 16, 1, {.kept = 32, .folded = true, .anew = true}}, 2};
      return {{16, head / 32, 16, 1, {.folded = head > 128}}};
    case Architecture::rdna4:
      if (latent) return {{16, 8, 16, 1, {.kept = 64}}, 2};
      return {{16, head % 64 ? head / 32 : head / 64, 16, 1}};
    case Architecture::ampere:
      if (latent) return {{16, 8, 32, 1, {.kept = 64}}, 2};
      return {{16, head % 64 ? head / 32 : head / 64, 32, 1}};
    case Architecture::host:
      break;
  }
  return {{8, 1, 16, 1}};
}

/// So many workgroups keep enough of a compute unit's requests to memory under way. Predicted.
constexpr int paged_workgroups_enough(Architecture architecture) {
  return architecture == Architecture::cdna4 ? 8 : 5;
}

}  // namespace hipsight::kernels
