// How attention is cut into tiles on each GPU: data, chosen by what bounds it
// (docs/kernels/attention.md).
#pragma once

#include "../arch/architecture.h"

namespace hipsight::kernels {

/// How registers are saved where they are short: if waves then fit a SIMD that did not, it pays.
struct SavedRegisters {
  bool in_turn = false;  ///< keys are on their way while values are worked on, and the other way
  int kept = 1 << 16;    ///< of the queries' depth; the rest is read again for each tile
  bool folded = false;   ///< halves of a wave that hold the same of the queries share them
  bool anew = false;     ///< places in shared memory are computed each time
  bool direct = false;   ///< keys go past the registers, if the GPU can; with several buffers
  bool late = true;      ///< what is read from shared memory is so only when it is needed
};

struct AttentionTiling {
  int wave_queries, waves;  // queries of a wave; waves of a workgroup
  int keys;                 // of a tile in shared memory
  int buffers;              // for so many tiles
  SavedRegisters saved = {};
};

HIPSIGHT_INLINE constexpr AttentionTiling attention_tiling(Architecture architecture, int head,
                                                           int value_head) {
  const bool shorter = value_head < head;  // results that take fewer registers
  switch (architecture) {
    case Architecture::cdna2:
      return head <= 128   ? AttentionTiling{32, 4, 64, 1, {.late = false}}
             : head <= 192 ? AttentionTiling{32, 4, 32, 1, {.late = false}}
                           : AttentionTiling{32, 4, 32, 1, {.kept = 128, .anew = true}};
    case Architecture::cdna3:
      return head <= 128   ? AttentionTiling{32, 4, 64, 1, {.late = false}}
             : head <= 192 ? AttentionTiling{32, 4, 32, 1, {.late = false}}
                           : AttentionTiling{32, 8, 64, 1, {.in_turn = true, .kept = 64}};
    case Architecture::cdna4:
      return head <= 64    ? AttentionTiling{32, 4, 64, 1, {.late = false}}
             : head <= 128 ? AttentionTiling{32, 4, 64, 2, {.late = false}}
             : shorter     ? AttentionTiling{32, 4, 64, 2, {.late = false}}
             : head <= 192 ? AttentionTiling{32, 8, 64, 1, {.in_turn = true}}
                           : AttentionTiling{32, 8, 64, 2, {.kept = 48, .direct = true}};
    case Architecture::rdna3:
      return head <= 128 || shorter ? AttentionTiling{16, 8, 32, 2, {.folded = true}}
             : head <= 192
                 ? AttentionTiling{16, 16, 32, 1, {.in_turn = true, .folded = true}}
                 : AttentionTiling{
                       16, 16, 32, 1, {.in_turn = true, .kept = 96, .folded = true, .anew = true}};
    case Architecture::rdna4:
      return head <= 128   ? AttentionTiling{16, 8, 64, 1}
             : shorter     ? AttentionTiling{16, 8, 32, 2}
             : head <= 192 ? AttentionTiling{16, 16, 32, 1, {.in_turn = true}}
                           : AttentionTiling{16, 16, 32, 1, {.in_turn = true, .anew = true}};
    case Architecture::ampere:
      return head <= 64    ? AttentionTiling{16, 4, 64, 2, {.direct = true}}
             : head <= 128 ? AttentionTiling{16, 4, 32, 2, {.direct = true}}
                           : AttentionTiling{16, 4, 32, 1};
    case Architecture::host:
      break;
  }
  return {8, 1, 16, 2};
}

}  // namespace hipsight::kernels
