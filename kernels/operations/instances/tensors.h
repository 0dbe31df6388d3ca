// What instances have in common: operands, as their functions take them (hipsight/operations.h), as
// kernels take them; and errors as they go back. Types, orders and sizes were checked before.
#pragma once

#include <string>

#include "hipsight/kernels/device.h"
#include "hipsight/kernels/matrix.h"
#include "hipsight/kernels/status.h"
#include "hipsight/kernels/workspace.h"
#include "hipsight/operations.h"

namespace hipsight::kernels {

inline Stream stream_of(const hipsight_context* context) {
  return static_cast<Stream>(context->stream);
}

/// Null, or what is wrong. It stays until the thread's next call.
inline const char* answer(Status status) {
  static thread_local std::string error;
  error = std::move(status.error);
  return error.empty() ? nullptr : error.c_str();
}

template <class Value>
Value* data_of(const hipsight_tensor* tensor) {
  return tensor ? static_cast<Value*>(tensor->data) : nullptr;
}

/// Bytes that the caller lends, or none.
inline Workspace lent(const hipsight_tensor* workspace) {
  if (!workspace) return {};
  return {workspace->data, static_cast<std::size_t>(workspace->sizes[0])};
}

/// A stride, or what it would be without gaps where there is nothing to step to.
inline std::int64_t stride_of(const hipsight_tensor& tensor, int dimension,
                              std::int64_t otherwise) {
  return tensor.sizes[dimension] > 1 ? tensor.strides[dimension] : otherwise;
}

/// Of the last two dimensions; of three, the first are batches.
template <class Value, Order order = Order::row_major>
Matrix<Value, order> matrix(const hipsight_tensor* tensor) {
  const int row = tensor->dimensions - 2, column = row + 1;
  const std::int64_t rows = tensor->sizes[row], columns = tensor->sizes[column];
  const std::int64_t stride = order == Order::row_major ? stride_of(*tensor, row, columns)
                                                        : stride_of(*tensor, column, rows);
  return {data_of<Value>(tensor), static_cast<int>(rows), static_cast<int>(columns), stride,
          row ? tensor->strides[0] : 0};
}

}  // namespace hipsight::kernels
