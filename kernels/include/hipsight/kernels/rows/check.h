// What is wrong with the operands of an operation on rows, in a sentence.
#pragma once

#include "../check.h"
#include "operands.h"

namespace hipsight::kernels {

/// All operands must have the shape of the first one.
class RowCheck : public Check {
 public:
  HIPSIGHT_APART RowCheck(const char* operation, int rows, int columns)
      : Check(operation), rows_(rows), columns_(columns) {
    constexpr int most = 1 << 28;  // values that 32-bit offsets reach
    if (rows < 0 || columns < 0) fail("a size is negative: ", rows, " x ", columns);
    if (columns > most)
      fail("rows of ", columns, " columns are longer than ", most,
           ", the longest that kernels take");
  }

  template <class Value>
  void operand(const char* name, const RowMajor<Value>& matrix) {
    check(name, "", shape_of(matrix, columns_));
  }

  template <class Value>
  void operand(const char* name, const PerTensor<Value>& matrix) {
    operand(name, matrix.values);
    vector(name, "'s scale", matrix.scale, rows_);
  }

  template <class Value>
  void operand(const char* name, const PerToken<Value>& matrix) {
    operand(name, matrix.values);
    vector(name, "'s scales", matrix.scales, rows_);
  }

  template <class Value>
  void operand(const char* name, const PerBlock<Value>& matrix) {
    operand(name, matrix.values);
    check(name, "'s scales", shape_of(matrix.scales, ceil_div(columns_, PerBlock<Value>::columns)));
  }

  /// What all rows share: a value for each column.
  void shared(const char* name, const void* data) {
    vector(name, "", data, product({rows_, columns_}));
  }

  /// What norms add to the variance.
  HIPSIGHT_APART void epsilon(float value) {
    if (!(value >= 0) || !std::isfinite(value))
      fail("the epsilon of ", value, " must be finite and not negative");
  }

 private:
  /// An operand, how many columns it must have, and the most that its stride may be.
  struct Shape {
    int rows, columns, must_be;
    std::int64_t stride, most_stride;
    const void* data;
  };
  template <class Value>
  static Shape shape_of(const RowMajor<Value>& m, int columns) {
    // A wave has up to four short rows, which 32-bit offsets tell apart.
    return {m.rows, m.columns, columns, m.stride, INT32_MAX / 4 / sizeof(Value), m.data};
  }

  HIPSIGHT_APART void vector(const char* name, const char* part, const void* data,
                             std::int64_t count) {
    if (!data && count > 0) fail(name, part, " is a null pointer");
  }

  HIPSIGHT_APART void check(const char* name, const char* part, const Shape& m) {
    constexpr int short_row = held_columns(RowSize::lanes, Architecture::cdna3);
    if (m.rows != rows_ || m.columns != m.must_be)
      fail(name, part, " is ", m.rows, " x ", m.columns, ": it must be ", rows_, " x ", m.must_be);
    if (m.stride < m.columns)
      fail(name, part, "'s stride of ", m.stride, " is less than its ", m.columns, " columns");
    if (rows_ > 1 && m.columns <= short_row && m.stride > m.most_stride)
      fail(name, part, "'s stride of ", m.stride, " is more than ", m.most_stride,
           ", the largest that kernels take for rows of up to ", short_row, " columns");
    vector(name, part, m.data, product({m.rows, m.columns}));
  }

  int rows_, columns_;
};

}  // namespace hipsight::kernels
