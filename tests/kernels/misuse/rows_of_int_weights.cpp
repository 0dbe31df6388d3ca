// rms_norm: the weight must be of f32, f16 or bf16
#include "hipsight/kernels/rows/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using W = int;
#else
using W = bf16;
#endif
auto problem(RowMajor<const float> x, const W* weight, RowMajor<float> y) {
  return rms_norm_problem(x, weight, y, 1e-6f, AddResidual(y, y));
}
