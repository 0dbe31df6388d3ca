// Tiles in the registers of a wave, and the matrix step.
#pragma once

#include <type_traits>

#include "../arch/current.h"
#include "global_tile.h"
#include "shared_tile.h"

namespace hipsight::kernels {

/// chained_b: a B of which the result is the A of a next product.
enum class Operand { a, b, chained_b };

/// Lines of A or of B, as deep as one matrix step: `Lines` rows of A, or columns of B.
template <class Value, Operand Which, int Lines>
struct OperandTile {
  using Step = arch::MatrixStep<Value>;
  static constexpr Layout layout = Which == Operand::a   ? Step::layout.a
                                   : Which == Operand::b ? Step::layout.b
                                                         : Step::layout.chained_b;
  static constexpr int block_lines = Which == Operand::a ? Step::layout.rows : Step::layout.columns;
  static constexpr int blocks = Lines / block_lines, elements = layout.elements();
  static constexpr int reads = blocks * elements / chunk_size<Value>;  // of shared memory
  static_assert(Lines % block_lines == 0,
                "OperandTile: the lines do not fit the lines of this GPU's matrix step");
  static_assert(layout.element[0].count % chunk_size<Value> == 0 &&
                    layout.element[0].step.column == 1,
                "MatrixStep: a lane must hold whole chunks of 16 bytes of a line");

  std::conditional_t<Which == Operand::a, typename Step::OfA, typename Step::OfB> block[blocks];

  /// From `line` and `depth` on.
  template <class Shared>
  HIPSIGHT_INLINE void load(const Shared& from, int line, int depth) {
    static_assert(__is_same(typename Shared::Element, Value),
                  "OperandTile: the shared tile's elements are of another type");
    static_assert(Shared::lines % Lines == 0 && Shared::depth % Step::layout.depth == 0,
                  "OperandTile: the shared tile is not a multiple of it");
    unroll<blocks>([&](auto i) { load_block<i>(from, line, depth); });
  }
  /// Of these the lines of block i. Where a lane has many, their places are computed each time.
  template <int i, class Shared>
  HIPSIGHT_INLINE void load_block(const Shared& from, int line, int depth) {
    int lane = arch::lane();
    if constexpr (requires { Step::many_lines; }) lane = arch::anew(lane);
    load_block<i>(from, line, depth, lane);
  }

  /// All lines of a tile from `depth` on, of lane `lane`: this one.
  template <class Shared>
  HIPSIGHT_INLINE void load_all(const Shared& from, int depth, int lane) {
    static_assert(Shared::lines == Lines, "OperandTile: the shared tile has other lines");
    unroll<blocks>([&](auto i) { load_block<i>(from, 0, depth, lane); });
  }

  /// From panels whose lines are this operand's depth, value by value: its lines, from `line` on,
  /// are their depth, one panel after the other. Places are computed each time.
  template <int depth, class Panel, int count>
  HIPSIGHT_INLINE void load_across(const Panel (&from)[count], int line) {
    static_assert(Panel::depth % block_lines == 0,
                  "OperandTile: a block of lines must lie in one panel");
    constexpr Layout held = layout;
    const int lane = arch::anew(arch::lane());
    unroll<blocks>([&](auto i) {
      const int first = line + i * block_lines;
      const Panel& panel = from[first / Panel::depth];
      HIPSIGHT_UNROLL
      for (int e = 0; e < elements; e += chunk_size<Value>) {
        Chunk<Value> values;
        HIPSIGHT_UNROLL
        for (int c = 0; c < chunk_size<Value>; c++) {
          const Place at = held(lane, e + c);
          values[c] = panel.template value<depth>(at.column, first % Panel::depth + at.row);
        }
        chunk(i, e) = values;
      }
    });
  }

  /// The same straight from global memory, of which all columns that are asked for exist.
  template <class Global>
    requires requires(Global from) { from.template load_any<chunk_size<Value>, true>(0, 0, 0); }
  HIPSIGHT_INLINE void load(const Global& from, int depth) {
    constexpr Layout held = layout;
    HIPSIGHT_UNROLL
    for (int i = 0; i < blocks; i++) {
      HIPSIGHT_UNROLL
      for (int e = 0; e < elements; e += chunk_size<Value>) {
        const Place at = held(arch::lane(), e);
        chunk(i, e) = from.template load_any<chunk_size<Value>, true>(i * block_lines + at.row,
                                                                      depth + at.column, Lines);
      }
    }
  }

 private:
  HIPSIGHT_INLINE Chunk<Value>& chunk(int i, int e) {
    return reinterpret_cast<Chunk<Value>*>(&block[i])[e / chunk_size<Value>];
  }

  template <int i, class Shared>
  HIPSIGHT_INLINE void load_block(const Shared& from, int line, int depth, int lane) {
    constexpr Layout held = layout;  // nvcc has no static members of classes on the device
    HIPSIGHT_UNROLL
    for (int e = 0; e < elements; e += chunk_size<Value>) {
      const Place at = held(lane, e);
      chunk(i, e) = from.template chunk<i * block_lines>(line + at.row, depth + at.column);
    }
  }
};

/// Sums of products in f32, Rows x Columns of a wave. Chained: of a chained_b.
template <class Value, int Rows, int Columns, bool Chained = false>
struct Accumulator {
  using Step = arch::MatrixStep<Value>;
  static constexpr Layout layout = Chained ? Step::layout.chained_c : Step::layout.c;
  static constexpr int rows = Rows, columns = Columns;
  static constexpr int row_blocks = Rows / Step::layout.rows,
                       column_blocks = Columns / Step::layout.columns;
  static constexpr int elements = layout.elements();
  static_assert(Rows % Step::layout.rows == 0 && Columns % Step::layout.columns == 0,
                "Accumulator: rows and columns do not fit this GPU's matrix step");

  /// So many values of a lane lie side by side in a row.
  static constexpr int run = layout.element[0].step.column == 1 ? layout.element[0].count : 1;

  typename Step::OfC block[row_blocks][column_blocks] = {};

  /// The same for other rows and columns.
  template <int OtherRows, int OtherColumns>
  using OfSize = Accumulator<Value, OtherRows, OtherColumns, Chained>;

  /// A lane's values are in so many rows.
  static constexpr int rows_held = row_blocks * layout.rows_held();

  /// Sets all values that this lane holds: value = f(place, which of the rows held, value).
  template <class Function>
  HIPSIGHT_INLINE void update(Function f) {
    update(*this, [&](Place place, int row, float value, float) { return f(place, row, value); });
  }

  /// The same with what `other` holds of each place: value = f(place, row held, value, other's).
  template <class Function>
  HIPSIGHT_INLINE void update(const Accumulator& other, Function f) {
    constexpr Layout held = layout;
    HIPSIGHT_UNROLL
    for (int i = 0; i < row_blocks; i++) {
      HIPSIGHT_UNROLL
      for (int j = 0; j < column_blocks; j++) {
        HIPSIGHT_UNROLL
        for (int e = 0; e < elements; e++) {
          const Place place = held(arch::lane(), e);
          block[i][j][e] =
              f(Place{place.row + i * Step::layout.rows, place.column + j * Step::layout.columns},
                i * held.rows_held() + held.row_of(e), block[i][j][e], other.block[i][j][e]);
        }
      }
    }
  }

  /// Calls f(row, which of the rows held) for all rows that this lane has values of.
  template <class Function>
  HIPSIGHT_INLINE static void for_each_row(Function f) {
    constexpr Layout held = layout;
    HIPSIGHT_UNROLL
    for (int i = 0; i < row_blocks; i++) {
      HIPSIGHT_UNROLL
      for (int e = 0; e < elements; e++)
        if (e == 0 || held.row_of(e) > held.row_of(e - 1))
          f(i * Step::layout.rows + held(arch::lane(), e).row,
            i * held.rows_held() + held.row_of(e));
    }
  }

  /// Adds `other`, each row times its factor.
  HIPSIGHT_INLINE void add(const Accumulator& other, const float (&factor)[rows_held]) {
    constexpr Layout held = layout;
    HIPSIGHT_UNROLL
    for (int i = 0; i < row_blocks; i++) {
      HIPSIGHT_UNROLL
      for (int j = 0; j < column_blocks; j++) {
        HIPSIGHT_UNROLL
        for (int e = 0; e < elements; e++)
          block[i][j][e] += other.block[i][j][e] * factor[i * held.rows_held() + held.row_of(e)];
      }
    }
  }

  /// Sets all to zero, which the compiler is not to know: it would do so twice, before a loop and
  /// where that is left out.
  HIPSIGHT_INLINE void clear() {
    HIPSIGHT_UNROLL
    for (int i = 0; i < row_blocks; i++) {
      HIPSIGHT_UNROLL
      for (int j = 0; j < column_blocks; j++) block[i][j] = arch::zeros<typename Step::OfC>();
    }
  }

  /// What was added is so now: the compiler does not keep it to add it with more.
  HIPSIGHT_INLINE void settle() {
    HIPSIGHT_UNROLL
    for (int i = 0; i < row_blocks; i++) {
      HIPSIGHT_UNROLL
      for (int j = 0; j < column_blocks; j++) block[i][j] = arch::anew(block[i][j]);
    }
  }

  /// Calls f(place, Vector<float, width>) for all values that this lane holds, `width` of a run at
  /// a time.
  template <int width, class Function>
  HIPSIGHT_INLINE void for_each_run(Function f) const {
    HIPSIGHT_UNROLL
    for (int i = 0; i < row_blocks; i++)
      for_each_run_of<width, column_blocks>(
          arch::lane(), i, 0, [&](Place place, const Vector<float, width>& v) {
            f(Place{place.row + i * Step::layout.rows, place.column}, v);
          });
  }

  /// The same of a lane for `Blocks` blocks of a step from block (i, j) on, in which places are.
  template <int width, int Blocks, class Function>
  HIPSIGHT_INLINE void for_each_run_of(int lane, int i, int j, Function f) const {
    static_assert(run % width == 0, "Accumulator: runs are not made of so many values");
    constexpr Layout held = layout;
    HIPSIGHT_UNROLL
    for (int b = 0; b < Blocks; b++) {
      HIPSIGHT_UNROLL
      for (int e = 0; e < elements; e += width) {
        Place place = held(lane, e);
        place.column += b * Step::layout.columns;
        Vector<float, width> values;
        HIPSIGHT_UNROLL
        for (int k = 0; k < width; k++) values[k] = block[i][j + b][e + k];
        f(place, values);
      }
    }
  }
};

/// sum += a * b, one step deep, of the rows of A's block i.
template <int i, class Value, Operand OfB, int Rows, int Columns>
HIPSIGHT_INLINE void multiply_block(
    const OperandTile<Value, Operand::a, Rows>& a, const OperandTile<Value, OfB, Columns>& b,
    Accumulator<Value, Rows, Columns, OfB == Operand::chained_b>& sum) {
  static_assert(OfB != Operand::a, "multiply: the second operand must be a B");
  HIPSIGHT_UNROLL
  for (int j = 0; j < b.blocks; j++)
    arch::MatrixStep<Value>::multiply(a.block[i], b.block[j], sum.block[i][j]);
}

/// sum += a * b, one step deep.
template <class Value, Operand OfB, int Rows, int Columns>
HIPSIGHT_INLINE void multiply(const OperandTile<Value, Operand::a, Rows>& a,
                              const OperandTile<Value, OfB, Columns>& b,
                              Accumulator<Value, Rows, Columns, OfB == Operand::chained_b>& sum) {
  unroll<OperandTile<Value, Operand::a, Rows>::blocks>(
      [&](auto i) { multiply_block<i>(a, b, sum); });
}

/// What of anything else is wrong, in a sentence.
template <class Value, class Other, Operand First, Operand Second, int Rows, int Columns, class Sum>
HIPSIGHT_INLINE void multiply(const OperandTile<Value, First, Rows>&,
                              const OperandTile<Other, Second, Columns>&, Sum&) {
  static_assert(First == Operand::a && Second != Operand::a,
                "multiply: the first operand must be an A, the second one a B");
  static_assert(std::is_same_v<Value, Other>,
                "multiply: A and B must have elements of the same type");
  using Right = Accumulator<Value, Rows, Columns, Second == Operand::chained_b>;
  static_assert(std::is_same_v<Sum, Right>,
                "multiply: the sum must have A's rows, B's columns and their type, and be Chained "
                "if B is");
}

}  // namespace hipsight::kernels
