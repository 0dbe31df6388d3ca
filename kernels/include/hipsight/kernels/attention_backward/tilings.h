// How the gradients of attention are cut into tiles on each GPU: data
// (docs/kernels/attention_backward.md).
#pragma once

#include "../attention/tilings.h"

namespace hipsight::kernels {

/// What a kernel sums: gradients of queries over the keys, or those of keys, of values, or of both
/// over the queries.
enum class Gradients { queries, keys, values, keys_and_values };

HIPSIGHT_INLINE constexpr bool are_of_queries(Gradients of) {
  return of == Gradients::queries;
}
/// Of the rows that scores are of: queries, or keys; and of those that the gradient of the weights
/// is of: values.
HIPSIGHT_INLINE constexpr bool are_of_scored(Gradients of) {
  return of != Gradients::values;
}
HIPSIGHT_INLINE constexpr bool are_of_valued(Gradients of) {
  return of == Gradients::values || of == Gradients::keys_and_values;
}

/// Whether one kernel sums the gradients of keys and of values: the weights are then computed once
/// for both, but both sums must be in a wave's registers.
HIPSIGHT_INLINE constexpr bool keys_and_values_at_once(int head) {
  return head <= 64;
}

/// `wave_queries` are the rows that have the gradients, `keys` those of the other side that are a
/// tile.
HIPSIGHT_INLINE constexpr AttentionTiling attention_backward_tiling(Architecture architecture,
                                                                    Gradients of, int head) {
  const bool both = of == Gradients::keys_and_values;
  switch (architecture) {
    case Architecture::cdna2:
    case Architecture::cdna3:
    case Architecture::cdna4:
      return {32,
              4,
              head <= 64 && !both ? 64 : 32,
              1,
              {.kept = of == Gradients::keys && head > 96 ? 96 : 1 << 16, .late = false}};
    case Architecture::rdna3:
      return both ? AttentionTiling{16, 8, 16, 1, {.kept = 32, .folded = true, .anew = true}}
                  : AttentionTiling{16, 8, 32, 1, {.folded = true, .anew = true}};
    case Architecture::rdna4:
      return {16, 8, 32, 1, {.anew = true}};
    case Architecture::ampere:
      return {16, 4, 32, 1};
    case Architecture::host:
      break;
  }
  return {8, 1, 16, 1};
}

}  // namespace hipsight::kernels
