// How attention to a paged cache is cut into tiles on each GPU (docs/kernels/paged_attention.md).
#pragma once

#include "../attention/tilings.h"

namespace hipsight::kernels {

/// A workgroup has one tile of queries, whose scores each of its waves computes: each has a part of
/// the columns of their results.
HIPSIGHT_INLINE constexpr AttentionTiling paged_tiling(Architecture architecture, int head) {
  const int waves = head % 64 || architecture == Architecture::rdna3 ? head / 32 : head / 64;
  switch (architecture) {
    case Architecture::cdna2:
    case Architecture::cdna3:
    case Architecture::cdna4:
      return {32, waves, 32, 1};
    case Architecture::rdna3:
    case Architecture::rdna4:
      return {16, waves, 16, 1};
    case Architecture::ampere:
      return {16, waves, 32, 1};
    case Architecture::host:
      break;
  }
  return {8, 1, 16, 1};
}

}  // namespace hipsight::kernels
