// A bias that may be none, as an epilogue of instances.
#pragma once

#include "hipsight/kernels/gemm/epilogue.h"

namespace hipsight::kernels {

/// Each batch has `of_batch` numbers of its own, or all have the same.
template <class Value>
struct MayAdd {
  const Value* bias;  // null: none
  int of_batch = 0;

  HIPSIGHT_INLINE Bias<const Value> of(int batch) const {
    return Bias<const Value>{bias + batch * of_batch};
  }
  HIPSIGHT_INLINE float operator()(float value, ResultPlace at) const {
    return bias ? of(at.batch)(value, at) : value;
  }
  template <int Count>
  HIPSIGHT_INLINE Vector<float, Count> run(const Vector<float, Count>& values,
                                           ResultPlace at) const {
    return bias ? of(at.batch).template run<Count>(values, at) : values;
  }
};

}  // namespace hipsight::kernels
