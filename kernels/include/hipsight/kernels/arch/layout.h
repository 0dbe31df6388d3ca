// Which lane of a wave holds which element of a matrix: numbers, so that nothing else need know.
#pragma once

#include "../types.h"

namespace hipsight::kernels {

/// An element of a matrix, or of a tile. Of an operand of a matrix step, `row` is its line (a row
/// of A, a column of B) and `column` its depth (where it is along the sum).
struct Place {
  int row = 0, column = 0;
};

/// One digit of a number: the digit d adds d * step.
struct Digit {
  int count = 1;
  Place step{};
};

/// Lane l's element e lies where the digits of l and of e, lowest first, say. A digit of the lane
/// without a step means that those lanes hold the same elements.
struct Layout {
  Digit lane[5];
  Digit element[4];

  /// Elements that each lane holds.
  HIPSIGHT_INLINE constexpr int elements() const {
    int count = 1;
    for (const Digit& digit : element) count *= digit.count;
    return count;
  }

  /// Whether lanes half a wave apart hold the same elements.
  HIPSIGHT_INLINE constexpr bool halves_hold_the_same() const {
    Digit last;
    for (const Digit& digit : lane)
      if (digit.count > 1) last = digit;
    return last.count == 2 && !last.step.row && !last.step.column;
  }

  /// In so many rows (of a result) are a lane's elements; element e is in the row_of(e)th of them.
  HIPSIGHT_INLINE constexpr int rows_held() const { return row_of(elements() - 1) + 1; }
  HIPSIGHT_INLINE constexpr int row_of(int e) const {
    int row = 0, rows = 1;
    for (const Digit& digit : element) {
      if (digit.step.row) row += e % digit.count * rows, rows *= digit.count;
      e /= digit.count;
    }
    return row;
  }

  /// Of a result: lanes_of_columns() lanes share a row; their numbers are the multiples of
  /// lanes_before_columns().
  HIPSIGHT_INLINE constexpr int lanes_before_columns() const {
    int lanes = 1;
    for (const Digit& digit : lane) {
      if (digit.step.column) return lanes;
      lanes *= digit.count;
    }
    return lanes;
  }
  HIPSIGHT_INLINE constexpr int lanes_of_columns() const {
    int lanes = 1;
    for (const Digit& digit : lane)
      if (digit.step.column) lanes *= digit.count;
    return lanes;
  }

  HIPSIGHT_INLINE constexpr Place operator()(int lane_number, int element_number) const {
    Place place;
    HIPSIGHT_UNROLL
    for (const Digit& digit : lane) add(place, digit, lane_number);
    HIPSIGHT_UNROLL
    for (const Digit& digit : element) add(place, digit, element_number);
    return place;
  }

 private:
  HIPSIGHT_INLINE static constexpr void add(Place& place, const Digit& digit, int& number) {
    const int value = static_cast<int>(static_cast<unsigned>(number) % digit.count);
    number = static_cast<int>(static_cast<unsigned>(number) / digit.count);
    place.row += value * digit.step.row;
    place.column += value * digit.step.column;
  }
};

/// A matrix step of a wave, C += A B: its shape, and who holds what. B is given as its lines, that
/// is, transposed.
struct StepLayout {
  int rows, columns, depth;
  Layout a, b, c;
  /// Where C is to be the A of a next product: B's lines in an order in which each lane gets those
  /// elements of C that it, or the lane half a wave away, has of A.
  Layout chained_b = b, chained_c = c;
};

}  // namespace hipsight::kernels
