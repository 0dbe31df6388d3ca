// gemm: C is written: its elements must not be const
#include "hipsight/kernels/gemm/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using T = const bf16;
#else
using T = bf16;
#endif
auto problem(RowMajor<const bf16> a, RowMajor<const bf16> b, RowMajor<T> c) {
  return gemm_problem(a, b, c, Identity{}, 1);
}
