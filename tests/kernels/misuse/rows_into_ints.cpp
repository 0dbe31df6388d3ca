// rows: inputs and outputs must be RowMajor of f32, f16 or bf16, or PerTensor, PerToken or PerBlock
// of
#include "hipsight/kernels/rows/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using T = int;
#else
using T = f16;
#endif
auto problem(RowMajor<const float> x, const float* weight, RowMajor<T> y) {
  return rms_norm_problem(x, weight, y, 1e-6f, NoResidual{});
}
