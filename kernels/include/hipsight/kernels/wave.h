// What the lanes of a wave make of their values together.
#pragma once

#include <cmath>

#include "arch/current.h"

namespace hipsight::kernels {

struct Plus {
  HIPSIGHT_INLINE float operator()(float a, float b) const { return a + b; }
};

/// The larger one, or the one that is a number.
struct Larger {
  HIPSIGHT_INLINE float operator()(float a, float b) const { return fmaxf(a, b); }
};

/// All lanes whose numbers differ from each other's only in bits from `first` on and below `end`
/// (powers of 2) get op over all their values; without arguments: all lanes of the wave. Each pair
/// is combined by both its lanes in the same way, so that all get the same bits.
template <int first = 1, int end = arch::wave_size, class Value, class Op>
HIPSIGHT_INLINE Value over_lanes(Value value, Op op) {
  if constexpr (first < end) {
    return over_lanes<first * 2, end>(op(value, arch::exchange<first>(value)), op);
  } else {
    return value;
  }
}

}  // namespace hipsight::kernels
