// Several values side by side in memory, at any address.
#pragma once

#include "types.h"

namespace hipsight::kernels {

/// On AMD by as few instructions as if they were aligned.
template <int N, class T>
HIPSIGHT_INLINE Vector<T, N> read(const T* from) {
  Vector<T, N> values;
  __builtin_memcpy(&values, from, sizeof values);
  return values;
}

template <int N, class T>
HIPSIGHT_INLINE void write(T* to, const Vector<T, N>& values) {
  __builtin_memcpy(to, &values, sizeof values);
}

}  // namespace hipsight::kernels
