// What the functions that Python calls have in common: operands as they come, and errors as they
// go.
#pragma once

#include <cstdint>
#include <string>

#include "hipsight/kernels/matrix.h"
#include "hipsight/kernels/status.h"

#define HIPSIGHT_EXPORT extern "C" __attribute__((visibility("default")))

/// Strides are in elements: from one row or column to the next, and from one matrix to the next.
struct MatrixInMemory {
  void* data;
  std::int64_t rows, columns, stride, batch_stride;

  bool is_too_large() const { return rows > INT32_MAX || columns > INT32_MAX; }

  template <class Value, hipsight::kernels::Order order = hipsight::kernels::Order::row_major>
  hipsight::kernels::Matrix<Value, order> as() const {
    return {static_cast<Value*>(data), static_cast<int>(rows), static_cast<int>(columns), stride,
            batch_stride};
  }
};

/// For Python: an empty text, or what is wrong. It stays until the thread's next call.
inline const char* answer(hipsight::kernels::Status status) {
  static thread_local std::string error;
  error = std::move(status.error);
  return error.c_str();
}

inline bool any_too_large(std::initializer_list<const MatrixInMemory*> matrices) {
  for (const MatrixInMemory* matrix : matrices)
    if (matrix && matrix->is_too_large()) return true;
  return false;
}
