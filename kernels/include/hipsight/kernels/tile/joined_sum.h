// Sums of waves that each summed a part of the depth.
#pragma once

#include "register_tile.h"

namespace hipsight::kernels {

/// `Waves` waves have sums of the same rows and columns, each over other parts of the depth. They
/// add them up: each gets a part of the rows and columns, whole steps of it. All waves of a
/// workgroup do so at once, in `Groups` groups.
template <class Sum, int Waves, int Groups>
struct JoinedSum {
  static constexpr int blocks = Sum::row_blocks * Sum::column_blocks / Waves;  // of a part
  static constexpr int row_blocks = ceil_div(blocks, Sum::column_blocks);
  static constexpr int column_blocks = blocks / row_blocks;
  static constexpr int parts_across = Sum::column_blocks / column_blocks;
  static_assert(blocks * Waves == Sum::row_blocks * Sum::column_blocks &&
                    row_blocks * column_blocks == blocks &&
                    parts_across * column_blocks == Sum::column_blocks,
                "JoinedSum: the sum's steps cannot be dealt out to so many waves");
  static constexpr int rows = row_blocks * Sum::Step::layout.rows,
                       columns = column_blocks * Sum::Step::layout.columns;
  using Part = typename Sum::template OfSize<rows, columns>;

  static constexpr int width = chunk_size<float>;
  static constexpr int chunks = blocks * Sum::elements / width;
  static_assert(Sum::elements % width == 0, "JoinedSum: a lane must hold whole chunks");

  /// In it all sums pass, as lanes hold them: those of the others for each wave.
  Vector<float, width> values[Groups][Waves][Waves - 1][chunks][arch::wave_size];

  /// Where part `wave` begins.
  HIPSIGHT_INLINE static Place place_of(int wave) {
    return {wave / parts_across * rows, wave % parts_across * columns};
  }

  /// The part of this wave, the `wave`th of its group; always added up in the same order.
  HIPSIGHT_INLINE Part join(const Sum& mine, int group, int wave) {
    Part part;
    HIPSIGHT_UNROLL
    for (int to = 0; to < Waves; to++) {
      if (to == wave) {
        for_chunks(to, [&](int i, int j, int e, int) {
          HIPSIGHT_UNROLL
          for (int k = 0; k < width; k++)
            part.block[i % row_blocks][j % column_blocks][e + k] = mine.block[i][j][e + k];
        });
      } else {
        const int slot = wave - (wave > to);
        for_chunks(to, [&](int i, int j, int e, int chunk) {
          Vector<float, width> some;
          HIPSIGHT_UNROLL
          for (int k = 0; k < width; k++) some[k] = mine.block[i][j][e + k];
          values[group][to][slot][chunk][arch::lane()] = some;
        });
      }
    }
    arch::barrier();
    HIPSIGHT_UNROLL
    for (int slot = 0; slot < Waves - 1; slot++)
      for_chunks(0, [&](int i, int j, int e, int chunk) {
        const Vector<float, width> some = values[group][wave][slot][chunk][arch::lane()];
        HIPSIGHT_UNROLL
        for (int k = 0; k < width; k++) part.block[i][j][e + k] += some[k];
      });
    arch::barrier();
    return part;
  }

 private:
  /// f(row block, column block, element, number) of all chunks of a part.
  template <class Function>
  HIPSIGHT_INLINE static void for_chunks(int part, Function f) {
    HIPSIGHT_UNROLL
    for (int b = 0; b < blocks; b++) {
      HIPSIGHT_UNROLL
      for (int e = 0; e < Sum::elements; e += width)
        f(part / parts_across * row_blocks + b / column_blocks,
          part % parts_across * column_blocks + b % column_blocks, e,
          (b * Sum::elements + e) / width);
    }
  }
};

/// One wave has nothing to add up.
template <class Sum, int Groups>
struct JoinedSum<Sum, 1, Groups> {
  using Part = Sum;
  HIPSIGHT_INLINE static Place place_of(int) { return {}; }
  HIPSIGHT_INLINE static Part join(const Sum& mine, int, int) { return mine; }
};

}  // namespace hipsight::kernels
