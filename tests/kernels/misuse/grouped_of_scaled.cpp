// grouped_gemm: operands with factors of their blocks are not possible
#include "hipsight/kernels/grouped_gemm/problem.h"
using namespace hipsight::kernels;
auto problem(RowMajor<const fp8_e4m3> a, RowMajor<const fp8_e4m3> b, RowMajor<bf16> c,
             RowGroups groups, const float* factors) {
#ifdef MISUSE
  return grouped_gemm_problem(scaled_rows(a, factors, 1), scaled_blocks(b, factors, 1), c, groups,
                              Identity{});
#else
  (void)factors;
  return grouped_gemm_problem(a, b, c, groups, Identity{});
#endif
}
