// rows: inputs and outputs must be RowMajor of f32, f16 or bf16, or PerTensor, PerToken or PerBlock
// of
#include "hipsight/kernels/rows/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using Input = ColumnMajor<const f16>;
#else
using Input = RowMajor<const f16>;
#endif
auto problem(Input x, RowMajor<f16> y) {
  return softmax_problem(x, y, 1);
}
