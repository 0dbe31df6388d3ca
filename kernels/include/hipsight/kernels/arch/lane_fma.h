// A matrix step without matrix instructions: each lane multiplies its lines of A and B, by FMAs in
// f32.
#pragma once

#include <cmath>

#include "anew.h"
#include "step_layouts.h"

namespace hipsight::kernels::arch {

/// A lane's values, each in a register of its own: no instruction wants them side by side.
template <class Value, int Count>
struct alignas(chunk_bytes) Values {
  Value value[Count];
  HIPSIGHT_INLINE Value& operator[](int i) { return value[i]; }
  HIPSIGHT_INLINE const Value& operator[](int i) const { return value[i]; }
};

/// A lane's values are, of each operand, line after line, and of the sums, row after row.
template <class Value, StepLayout layout_>
struct LaneFma {
  static constexpr StepLayout layout = layout_;
  static constexpr bool many_lines = true;
  using OfA = Values<Value, layout.a.elements()>;
  using OfB = Values<Value, layout.b.elements()>;
  using OfC = Values<float, layout.c.elements()>;

  HIPSIGHT_INLINE static void multiply(const OfA& a, const OfB& b, OfC& sum) {
    constexpr int depth = layout.depth, sums = layout.c.elements();
    constexpr int columns = layout.b.elements() / depth;
    HIPSIGHT_UNROLL
    for (int d = 0; d < depth; d++) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < sums; i++)
        sum[i] = fmaf(static_cast<float>(a[i / columns * depth + d]),
                      static_cast<float>(b[i % columns * depth + d]), sum[i]);
    }
    HIPSIGHT_UNROLL
    for (int i = 0; i < sums; i++) sum[i] = anew(sum[i]);
  }
};

}  // namespace hipsight::kernels::arch
