// rows: the output's elements must not be const
#include "hipsight/kernels/rows/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using T = const std::int8_t;
#else
using T = std::int8_t;
#endif
auto problem(RowMajor<const float> x, PerToken<T> y) {
  return gated_problem<SiluGate>(x, x, y);
}
