// rows: inputs and outputs must be RowMajor of f32, f16 or bf16, or PerTensor, PerToken or PerBlock
// of
#include "hipsight/kernels/rows/problem.h"
using namespace hipsight::kernels;
auto problem(RowMajor<const float> x, RowMajor<std::int8_t> y, float* scales) {
#ifdef MISUSE
  (void)scales;
  return convert_problem(x, y);
#else
  return convert_problem(x, PerToken(y, scales));
#endif
}
