// The matrix steps of all GPUs, as numbers.
//
// As the order of a sum is free, each lane takes `n` values of a line that lie side by side, 16
// bytes, for as many instructions as that feeds. As the order of B's lines is free, too, B is given
// to the instruction first, so that a lane's results are in one row, and its lines permuted: a lane
// then has runs of columns, and lanes that read shared memory at once find different banks.
#pragma once

#include "layout.h"

namespace hipsight::kernels {

/// CDNA's 32x32 instructions. Source: AMD's matrix instruction calculator
/// (github.com/ROCm/amd_matrix_instruction_calculator).
HIPSIGHT_INLINE constexpr StepLayout mfma_32x32(int n) {
  return {.rows = 32,
          .columns = 32,
          .depth = 2 * n,
          .a = {.lane = {{32, {1, 0}}, {2, {0, n}}}, .element = {{n, {0, 1}}}},
          .b = {.lane = {{4, {1, 0}}, {2, {16, 0}}, {2, {8, 0}}, {2, {4, 0}}, {2, {0, n}}},
                .element = {{n, {0, 1}}}},
          .c = {.lane = {{32, {1, 0}}, {2, {0, 16}}},
                .element = {{4, {0, 1}}, {2, {0, 8}}, {2, {0, 4}}}},
          .chained_b = {.lane = {{4, {1, 0}}, {2, {8, 0}}, {2, {16, 0}}, {2, {4, 0}}, {2, {0, n}}},
                        .element = {{n, {0, 1}}}},
          .chained_c = {.lane = {{32, {1, 0}}, {2, {0, 8}}},
                        .element = {{4, {0, 1}}, {2, {0, 16}}, {2, {0, 4}}}}};
}

/// CDNA4's 32x32x64 for 8 bits: two chunks of `n` values a lane, as two of the others have them.
HIPSIGHT_INLINE constexpr StepLayout mfma_32x32_of_pairs(int n) {
  StepLayout step = mfma_32x32(n);
  step.depth = 4 * n;
  step.a.element[1] = step.b.element[1] = {2, {0, 2 * n}};
  return step;
}

/// RDNA3's 16x16x16. Both halves of a wave hold all of an operand. Source: AMD's RDNA3 ISA guide.
HIPSIGHT_INLINE constexpr StepLayout wmma_rdna3() {
  return {.rows = 16,
          .columns = 16,
          .depth = 16,
          .a = {.lane = {{16, {1, 0}}, {2, {0, 0}}}, .element = {{16, {0, 1}}}},
          .b = {.lane = {{2, {4, 0}}, {4, {1, 0}}, {2, {8, 0}}, {2, {0, 0}}},
                .element = {{16, {0, 1}}}},
          .c = {.lane = {{16, {1, 0}}, {2, {0, 4}}}, .element = {{4, {0, 1}}, {2, {0, 8}}}}};
}

/// RDNA4's 16x16x16, one of them for 8 values a lane. Source: AMD's RDNA4 ISA guide.
HIPSIGHT_INLINE constexpr StepLayout wmma_rdna4(int n) {
  const Layout operand = {.lane = {{16, {1, 0}}, {2, {0, n}}}, .element = {{n, {0, 1}}}};
  return {.rows = 16,
          .columns = 16,
          .depth = 2 * n,
          .a = operand,
          .b = operand,
          .c = {.lane = {{16, {1, 0}}, {2, {0, 8}}}, .element = {{8, {0, 1}}}}};
}

/// NVIDIA's m16n8k16, twice along the depth and four times along the columns. Four lanes share a
/// line. Source: PTX ISA, fragments of mma.m16n8k16.
HIPSIGHT_INLINE constexpr StepLayout mma_m16n8() {
  return {
      .rows = 16,
      .columns = 32,
      .depth = 32,
      .a = {.lane = {{4, {0, 8}}, {8, {1, 0}}}, .element = {{8, {0, 1}}, {2, {8, 0}}}},
      .b = {.lane = {{4, {0, 8}}, {8, {1, 0}}}, .element = {{8, {0, 1}}, {4, {8, 0}}}},
      .c = {.lane = {{4, {0, 2}}, {8, {1, 0}}}, .element = {{2, {0, 1}}, {2, {8, 0}}, {4, {0, 8}}}},
      .chained_b = {.lane = {{4, {0, 8}}, {2, {1, 0}}, {4, {8, 0}}},
                    .element = {{8, {0, 1}}, {4, {2, 0}}}},
      .chained_c = {.lane = {{4, {0, 8}}, {8, {1, 0}}},
                    .element = {{2, {0, 1}}, {2, {8, 0}}, {4, {0, 2}}}}};
}

/// Without matrix instructions (lane_fma.h): 8 x 4 lanes, each with 4 lines of A and 8 of B. Lanes
/// in a row, and those in a column, hold the same.
HIPSIGHT_INLINE constexpr StepLayout fma_32x32(int n) {
  return {.rows = 32,
          .columns = 32,
          .depth = n,
          .a = {.lane = {{8, {1, 0}}, {4, {0, 0}}}, .element = {{n, {0, 1}}, {4, {8, 0}}}},
          .b = {.lane = {{8, {0, 0}}, {2, {8, 0}}, {2, {4, 0}}},
                .element = {{n, {0, 1}}, {4, {1, 0}}, {2, {16, 0}}}},
          .c = {.lane = {{8, {1, 0}}, {2, {0, 8}}, {2, {0, 4}}},
                .element = {{4, {0, 1}}, {2, {0, 16}}, {4, {8, 0}}}}};
}

/// The same of one lane.
HIPSIGHT_INLINE constexpr StepLayout fma_4x4(int n) {
  const Layout lines = {.lane = {}, .element = {{n, {0, 1}}, {4, {1, 0}}}};
  return {.rows = 4,
          .columns = 4,
          .depth = n,
          .a = lines,
          .b = lines,
          .c = {.lane = {}, .element = {{4, {0, 1}}, {4, {1, 0}}}}};
}

}  // namespace hipsight::kernels
