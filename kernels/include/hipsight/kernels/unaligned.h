// Several values side by side in memory, at any address.
#pragma once

#include "types.h"

namespace hipsight::kernels {

/// On AMD by as few instructions as if they were aligned.
template <int Count, class Value>
HIPSIGHT_INLINE Vector<Value, Count> read(const Value* from) {
  Vector<Value, Count> values;
  __builtin_memcpy(&values, from, sizeof values);
  return values;
}

template <int Count, class Value>
HIPSIGHT_INLINE void write(Value* to, const Vector<Value, Count>& values) {
  __builtin_memcpy(to, &values, sizeof values);
}

}  // namespace hipsight::kernels
