// A matrix step in 8 bits on a GPU whose matrix instructions do not take them: of f16, into which
// each lane converts its operands. Exact, and slow.
#pragma once

#include <type_traits>

#include "step_layouts.h"

namespace hipsight::kernels::arch {

template <class T>
struct MatrixStep;

/// The layout is that of f16, but with 16 values of a line side by side.
template <class T, StepLayout layout_>
struct ConvertedStep {
  static_assert(is_fp8<T>, "ConvertedStep: converts from 8 bits");
  using Half = MatrixStep<std::conditional_t<is_fp8<T>, f16, T>>;  // looked up when T is known
  static constexpr StepLayout layout = layout_;
  using A = Chunk<T>;
  using B = Chunk<T>;
  using C = typename Half::C;

  HIPSIGHT_INLINE static void multiply(const A& a, const B& b, C& sum) {
    constexpr int n = Half::layout.a.elements();
    HIPSIGHT_UNROLL
    for (int i = 0; i < chunk_size<T>; i += n) {
      typename Half::A x;
      typename Half::B y;
      HIPSIGHT_UNROLL
      for (int k = 0; k < n; k++) {
        x[k] = static_cast<f16>(static_cast<float>(a[i + k]));
        y[k] = static_cast<f16>(static_cast<float>(b[i + k]));
      }
      Half::multiply(x, y, sum);
    }
  }
};

}  // namespace hipsight::kernels::arch
