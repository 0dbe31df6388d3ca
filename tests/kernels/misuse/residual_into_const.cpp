// rows: the residual and its sum must be of the same type, f32, f16 or bf16, the sum's not const
#include "hipsight/kernels/rows/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using T = const float;
#else
using T = float;
#endif
auto problem(RowMajor<float> x, const float* weight, RowMajor<T> sum) {
  return rms_norm_problem(x, weight, x, 1e-6f, AddResidual(x, sum));
}
