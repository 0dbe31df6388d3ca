// What is wrong with the operands of an operation on rows, in a sentence.
#pragma once

#include <string>

#include "operands.h"

namespace hipsight::kernels {

/// Gathers the first error; all operands must have the shape of the first one.
class RowCheck {
 public:
  RowCheck(const char* operation, int rows, int columns)
      : operation_(operation), rows_(rows), columns_(columns) {
    constexpr int most = 1 << 28;  // values that 32-bit offsets reach
    require(rows >= 0 && columns >= 0, "a size is negative: " + shape(rows, columns));
    require(columns <= most, "rows of " + std::to_string(columns) + " columns are longer than " +
                                 std::to_string(most) + ", the longest that kernels take");
  }

  template <class T>
  RowCheck& operand(const std::string& name, const RowMajor<T>& matrix) {
    matrix_of(name, matrix, rows_, columns_);
    return *this;
  }

  template <class T>
  RowCheck& operand(const std::string& name, const PerTensor<T>& matrix) {
    matrix_of(name, matrix.values, rows_, columns_);
    return vector(name + "'s scale", matrix.scale);
  }

  template <class T>
  RowCheck& operand(const std::string& name, const PerToken<T>& matrix) {
    matrix_of(name, matrix.values, rows_, columns_);
    return vector(name + "'s scales", matrix.scales);
  }

  template <class T>
  RowCheck& operand(const std::string& name, const PerBlock<T>& matrix) {
    matrix_of(name, matrix.values, rows_, columns_);
    matrix_of(name + "'s scales", matrix.scales, rows_, ceil_div(columns_, PerBlock<T>::columns));
    return *this;
  }

  template <class T>
  RowCheck& vector(const std::string& name, const T* data) {
    require(data != nullptr || empty(), name + " is a null pointer");
    return *this;
  }

  RowCheck& require(bool holds, const std::string& otherwise) {
    if (!holds && error_.empty()) error_ = operation_ + ": " + otherwise;
    return *this;
  }

  const std::string& error() const { return error_; }
  bool empty() const { return rows_ == 0 || columns_ == 0; }

 private:
  template <class T>
  void matrix_of(const std::string& name, const RowMajor<T>& m, int rows, int columns) {
    // A wave has up to four short rows, which 32-bit offsets tell apart.
    constexpr int short_row = held_columns(RowSize::lanes, Architecture::cdna3);
    constexpr std::int64_t most = INT32_MAX / 4 / sizeof(T);
    require(m.rows == rows && m.columns == columns,
            name + " is " + shape(m.rows, m.columns) + ": it must be " + shape(rows, columns));
    const std::string stride = name + "'s stride of " + std::to_string(m.stride);
    require(m.stride >= columns,
            stride + " is less than its " + std::to_string(columns) + " columns");
    require(rows <= 1 || columns > short_row || m.stride <= most,
            stride + " is more than " + std::to_string(most) +
                ", the largest that kernels take "
                "for rows of up to " +
                std::to_string(short_row) + " columns");
    vector(name, m.data);
  }

  static std::string shape(int rows, int columns) {
    return std::to_string(rows) + " x " + std::to_string(columns);
  }

  std::string operation_;
  int rows_, columns_;
  std::string error_;
};

}  // namespace hipsight::kernels
