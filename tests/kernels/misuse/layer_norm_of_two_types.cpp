// layer_norm: the weight and the bias must be of the same type, f32, f16 or bf16
#include "hipsight/kernels/rows/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using B = float;
#else
using B = bf16;
#endif
auto problem(RowMajor<const bf16> x, const bf16* weight, const B* bias, RowMajor<bf16> y) {
  return layer_norm_problem(x, weight, bias, y, 1e-6f, NoResidual{});
}
