// Matrices and batches of them, as callers give them.
#pragma once

#include <type_traits>

#include "types.h"

namespace hipsight::kernels {

/// What lies side by side in memory: the elements of a row, or of a column.
enum class Order { row_major, column_major };

/// Element (i, j) of matrix b is data[b * batch_stride + i * stride + j] if row_major, and
/// data[b * batch_stride + i + j * stride] if column_major. Strides count elements; a batch stride
/// of 0 repeats one matrix. The transpose of a row_major matrix is a column_major one of the same
/// bytes.
template <class Value, Order order_ = Order::row_major>
struct Matrix {
  using Element = Value;
  static constexpr Order order = order_;

  Value* data = nullptr;
  int rows = 0, columns = 0;
  std::int64_t stride = 0;
  std::int64_t batch_stride = 0;

  /// What is written can be read, too.
  template <class Read>
    requires std::is_same_v<Read, const Value>
  HIPSIGHT_INLINE constexpr operator Matrix<Read, order_>() const {
    return {data, rows, columns, stride, batch_stride};
  }
};

template <class Value>
using RowMajor = Matrix<Value, Order::row_major>;
template <class Value>
using ColumnMajor = Matrix<Value, Order::column_major>;

}  // namespace hipsight::kernels
