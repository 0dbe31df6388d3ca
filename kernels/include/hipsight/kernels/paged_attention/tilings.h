// How attention to a paged cache is cut into tiles on each GPU (docs/kernels/paged_attention.md).
#pragma once

#include "../attention/tilings.h"

namespace hipsight::kernels {

/// A workgroup has one tile of queries, whose scores each of its waves computes: each has a part of
/// the columns of their results.
HIPSIGHT_INLINE constexpr AttentionTiling paged_tiling(Architecture architecture, int head) {
  switch (architecture) {
    case Architecture::cdna2:
    case Architecture::cdna3:
    case Architecture::cdna4:
      return {32, head > 128 ? 2 : 1, 32, 1};
    case Architecture::rdna3:
      return {16, head / 32, 16, 1, {.folded = head > 128}};
    case Architecture::rdna4:
      return {16, head % 64 ? head / 32 : head / 64, 16, 1};
    case Architecture::ampere:
      return {16, head % 64 ? head / 32 : head / 64, 32, 1};
    case Architecture::host:
      break;
  }
  return {8, 1, 16, 1};
}

/// So many workgroups keep enough of a compute unit's requests to memory under way. Predicted.
constexpr int paged_workgroups_enough(Architecture architecture) {
  return architecture == Architecture::cdna4 ? 8 : 5;
}

}  // namespace hipsight::kernels
