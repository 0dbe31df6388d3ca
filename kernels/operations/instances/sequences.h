// Queries, keys and values, as kernels take them.
#pragma once

#include "hipsight/kernels/attention/sequences.h"
#include "tensors.h"

namespace hipsight::kernels {

/// batch x heads x places x size
template <class Value, int size>
Sequences<Value, size> sequences(const hipsight_tensor* tensor) {
  const auto* const sizes = tensor->sizes;
  return {data_of<Value>(tensor),
          static_cast<int>(sizes[2]),
          static_cast<int>(sizes[1]),
          stride_of(*tensor, 2, size),
          stride_of(*tensor, 1, sizes[2] * size),
          stride_of(*tensor, 0, 0)};
}

}  // namespace hipsight::kernels
