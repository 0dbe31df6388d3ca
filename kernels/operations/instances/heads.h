// Heads of tokens, as kernels take them.
#pragma once

#include "hipsight/kernels/rows/rope.h"
#include "tensors.h"

namespace hipsight::kernels {

/// tokens x heads x size
template <class Value>
Heads<Value> heads(const hipsight_tensor* tensor) {
  const auto* const sizes = tensor->sizes;
  return {data_of<Value>(tensor),
          static_cast<int>(sizes[0]),
          static_cast<int>(sizes[1]),
          static_cast<int>(sizes[2]),
          stride_of(*tensor, 0, sizes[1] * sizes[2]),
          stride_of(*tensor, 1, sizes[2])};
}

}  // namespace hipsight::kernels
