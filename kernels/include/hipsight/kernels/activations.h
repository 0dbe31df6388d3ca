// Functions of one value that networks apply.
#pragma once

#include "arch/current.h"

namespace hipsight::kernels {

/// exp(x), off by (|x| + 2) 2^-23 of the result at most. Less than 2^-126 is 0.
HIPSIGHT_INLINE float exponential(float x) {
  return arch::exp2(x * 1.44269504f);
}

/// x times the normal distribution's chance of less than x, by its approximation in tanh (D.
/// Hendrycks and K. Gimpel, "Gaussian Error Linear Units", arXiv 1606.08415): x / (1 + exp(-2 u)),
/// with u = sqrt(2 / pi) (x + 0.044715 x^3). -inf gives -0; not a number stays so.
HIPSIGHT_INLINE float gelu(float value) {
  const float minus_2u = value * (-1.5957691216f - 0.0713548163f * value * value);
  if (value < -12) return -0.0f;  // the limit, where -inf / inf would be no number
  return value * arch::reciprocal(1 + exponential(minus_2u));
}

/// x / (1 + exp(-x)). -inf gives -0; not a number stays so.
HIPSIGHT_INLINE float silu(float value) {
  if (value < -87) return -0.0f;  // exp(-x) would be nearly infinite
  return value * arch::reciprocal(1 + exponential(-value));
}

}  // namespace hipsight::kernels
