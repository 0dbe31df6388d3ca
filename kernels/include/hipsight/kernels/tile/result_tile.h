// A result on its way from a wave's registers to memory.
#pragma once

#include "register_tile.h"

namespace hipsight::kernels {

/// A lane's values are in one row of a matrix step, and its neighbours' in the rows below. Passed
/// through shared memory, of which each wave has one of these, neighbours have what lies side by
/// side in a row: then stores fill lines. A step's rows at a time, and all columns, or as many as
/// `Bytes` hold, but a step's at least.
template <class Sum, int Bytes>
struct ResultTile {
  static constexpr int rows = Sum::Step::layout.rows;
  static constexpr int blocks_at_once() {
    int blocks = Sum::column_blocks;
    while (blocks % 2 == 0 &&
           rows * blocks * Sum::Step::layout.columns * static_cast<int>(sizeof(float)) > Bytes)
      blocks /= 2;
    return blocks;
  }
  static constexpr int blocks = blocks_at_once(), columns = blocks * Sum::Step::layout.columns;
  static constexpr int width = chunk_size<float>;  // values side by side that a lane has then
  using Block = SharedTile<float, rows, columns,
                           swizzle_for(columns* static_cast<int>(sizeof(float)),
                                       facts(arch::current).bank_bytes, chunk_bytes)>;
  static constexpr int runs_of_row = columns / width, runs = rows * runs_of_row;
  static_assert(runs % arch::wave_size == 0, "ResultTile: the lanes do not share a step's rows");

  Block block;

  /// Calls f(place, Vector<float, width>) for all values of the wave; or, if not Runs, f(place,
  /// float), which is slower, but little code. If Few, for those of no more rows than the first
  /// `exist`: then it is a branch for some rows each. `lane` is this one.
  template <bool few, bool in_runs, class Function>
  HIPSIGHT_INLINE void for_each_run(int lane, const Sum& sum, int exist, Function f) {
    constexpr int held = Sum::run < width ? Sum::run : width;
    HIPSIGHT_UNROLL
    for (int i = 0; i < Sum::row_blocks; i++) {
      if (few && i * rows >= exist) [[unlikely]]
        return;
      HIPSIGHT_UNROLL
      for (int j = 0; j < Sum::column_blocks; j += blocks) {
        arch::wave_barrier();
        sum.template for_each_run_of<held, blocks>(
            lane, i, j, [&](Place at, const Vector<float, held>& values) {
              block.template at<Vector<float, held>>(at.row, at.column) = values;
            });
        arch::wave_barrier();
        const Place first{i * rows, j * Sum::Step::layout.columns};
        if constexpr (in_runs)
          for_each_run_of_block<few>(lane, first, exist, f);
        else
          for_each_value_of_block(lane, first, f);
      }
    }
  }

 private:
  template <bool few, class Function>
  HIPSIGHT_INLINE void for_each_run_of_block(int lane, Place first, int exist, Function f) const {
    HIPSIGHT_UNROLL
    for (int run = 0; run < runs; run += arch::wave_size) {
      if (few && first.row + run / runs_of_row >= exist) [[unlikely]]
        break;
      const int mine = run + lane;
      const Place at{mine / runs_of_row, mine % runs_of_row * width};
      f(Place{first.row + at.row, first.column + at.column}, block.chunk(at.row, at.column));
    }
  }

  template <class Function>
  HIPSIGHT_INLINE void for_each_value_of_block(int lane, Place first, Function f) {
    HIPSIGHT_UNROLL_BY_4
    for (int value = lane; value < rows * columns; value += arch::wave_size) {
      const Place at{value / columns, value % columns};
      f(Place{first.row + at.row, first.column + at.column},
        block.template at<float>(at.row, at.column));
    }
  }
};

}  // namespace hipsight::kernels
