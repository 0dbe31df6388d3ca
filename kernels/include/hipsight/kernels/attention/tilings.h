// How attention is cut into tiles on each GPU: data, chosen by what bounds it
// (docs/kernels/attention.md).
#pragma once

#include "../arch/architecture.h"

namespace hipsight::kernels {

struct AttentionTiling {
  int wave_queries, waves;  // queries of a wave; waves of a workgroup
  int keys;                 // of a tile in shared memory
  int buffers;              // for so many tiles
};

HIPSIGHT_INLINE constexpr AttentionTiling attention_tiling(Architecture architecture, int head) {
  switch (architecture) {
    case Architecture::cdna2:
    case Architecture::cdna3:
      return {32, 4, 64, 1};
    case Architecture::cdna4:
      return head <= 128 ? AttentionTiling{32, 4, 64, 2} : AttentionTiling{32, 4, 64, 1};
    case Architecture::rdna3:
      return head <= 128 ? AttentionTiling{16, 8, 32, 2} : AttentionTiling{16, 16, 32, 1};
    case Architecture::rdna4:
      return head <= 128 ? AttentionTiling{16, 8, 64, 1} : AttentionTiling{16, 16, 32, 1};
    case Architecture::ampere:
      return head <= 64    ? AttentionTiling{16, 4, 64, 2}
             : head <= 128 ? AttentionTiling{16, 4, 32, 2}
                           : AttentionTiling{16, 4, 32, 1};
    case Architecture::host:
      break;
  }
  return {8, 1, 16, 2};
}

}  // namespace hipsight::kernels
