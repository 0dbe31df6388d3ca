// gemm: A must be scaled_rows, B scaled_blocks
#include "hipsight/kernels/gemm/problem.h"
using namespace hipsight::kernels;
auto problem(RowMajor<const fp8_e4m3> a, ColumnMajor<const fp8_e4m3> b, RowMajor<bf16> c) {
#ifdef MISUSE
  return gemm_problem(scaled_blocks(a, nullptr, 0), scaled_rows(b, nullptr, 0), c, Identity{}, 1);
#else
  return gemm_problem(scaled_rows(a, nullptr, 0), scaled_blocks(b, nullptr, 0), c, Identity{}, 1);
#endif
}
