// What is done to the rows of a result, and the result as the first operand of a next product.
#pragma once

#include "../wave.h"
#include "register_tile.h"

namespace hipsight::kernels {

/// A number for each row of a result that a lane holds elements of.
template <class Sum>
struct RowVector {
  float row[Sum::rows_held];

  HIPSIGHT_INLINE void set(float value) {
    HIPSIGHT_UNROLL
    for (float& of_row : row) of_row = value;
  }
};

/// op over what all lanes have of each row.
template <class Sum, class Op>
HIPSIGHT_INLINE void over_row(RowVector<Sum>& values, Op op) {
  constexpr Layout held = Sum::layout;
  constexpr int first = held.lanes_before_columns(), end = first * held.lanes_of_columns();
  HIPSIGHT_UNROLL
  for (float& value : values.row) value = over_lanes<first, end>(value, op);
}

/// Where a lane finds element `e` of step `step` of A among a result's elements: in which block of
/// columns, which element; of the lane half a wave away if `far`. None: block -1.
struct Source {
  int block = -1, element = 0;
};
template <class Step>
HIPSIGHT_INLINE constexpr Source source_of(int lane, int step, int e) {
  const Layout& a = Step::layout.a;
  const Layout& c = Step::layout.chained_c;
  const Place wanted = a(0, e);
  const int column = step * Step::layout.depth + wanted.column;
  for (int i = 0; i < c.elements(); i++) {
    const Place held = c(lane, i);
    if (held.row == wanted.row && held.column == column % Step::layout.columns)
      return {column / Step::layout.columns, i};
  }
  return {};
}

/// Rows of a result in the type of the operands, as the A of a next product.
template <class Value, int Rows, int Columns>
class Chained {
  using Sum = Accumulator<Value, Rows, Columns, true>;
  using OfA = OperandTile<Value, Operand::a, Rows>;
  using Step = arch::MatrixStep<Value>;
  static constexpr int pairs = Sum::elements / 2;

 public:
  static constexpr int steps = Columns / Step::layout.depth;
  static_assert(Columns % Step::layout.depth == 0, "Chained: the columns are not whole steps");

  Chained() = default;  // of nothing
  /// Of two neighbours in row r at a time, what f(r, Vector<float, 2>) makes of them, as 4 bytes.
  template <class Function>
  HIPSIGHT_INLINE Chained(const Sum& sum, Function f) {
    constexpr Layout held = Sum::layout;
    HIPSIGHT_UNROLL
    for (int i = 0; i < Sum::row_blocks; i++) {
      HIPSIGHT_UNROLL
      for (int j = 0; j < Sum::column_blocks; j++) {
        HIPSIGHT_UNROLL
        for (int e = 0; e < Sum::elements; e += 2)
          pair_[i][j][e / 2] = f(i * held.rows_held() + held.row_of(e),
                                 Vector<float, 2>{sum.block[i][j][e], sum.block[i][j][e + 1]});
      }
    }
  }

  /// The operand of a step.
  template <int step>
  HIPSIGHT_INLINE OfA operand() const {
    OfA a;
    HIPSIGHT_UNROLL
    for (int i = 0; i < OfA::blocks; i++) {
      Pair pairs_of_a[OfA::elements / 2];
      fill<step, 0>(pair_[i], pairs_of_a);
      __builtin_memcpy(&a.block[i], pairs_of_a, sizeof pairs_of_a);
    }
    return a;
  }

 private:
  using Pair = std::uint32_t;

  /// Pair by pair: neighbours in A are neighbours in the result.
  template <int step, int p>
  HIPSIGHT_INLINE static void fill(const Pair (&from)[Sum::column_blocks][pairs], Pair* a) {
    if constexpr (p < OfA::elements / 2) {
      constexpr Source near = source_of<Step>(0, step, 2 * p),
                       far = source_of<Step>(arch::wave_size / 2, step, 2 * p),
                       next = source_of<Step>(near.block < 0 ? arch::wave_size / 2 : 0, step,
                                              2 * p + 1);
      static_assert(near.block >= 0 || far.block >= 0, "Chained: C's layout lacks elements of A");
      constexpr Source any = near.block < 0 ? far : near;
      static_assert(
          any.element % 2 == 0 && next.block == any.block && next.element == any.element + 1,
          "Chained: C's layout has A's neighbours apart");
      const Pair own = from[any.block][any.element / 2];
      if constexpr (shared_by_halves) {
        const Pair other = arch::exchange<arch::wave_size / 2>(own);
        a[p] = (arch::lane() < arch::wave_size / 2) == (near.block >= 0) ? own : other;
      } else {
        a[p] = own;
      }
      fill<step, p + 1>(from, a);
    }
  }

  /// Whether each half of a wave has half of A's elements, which both are to have.
  static constexpr bool shared_by_halves = [] {
    for (int step = 0; step < steps; step++)
      for (int e = 0; e < OfA::elements; e++)
        if (source_of<Step>(0, step, e).block < 0) return true;
    return false;
  }();

  Pair pair_[Sum::row_blocks][Sum::column_blocks][pairs];
};

}  // namespace hipsight::kernels
