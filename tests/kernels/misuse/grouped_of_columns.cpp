// grouped_gemm: A must be row_major: groups are of its rows
#include "hipsight/kernels/grouped_gemm/problem.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using OfA = ColumnMajor<const f16>;
#else
using OfA = RowMajor<const f16>;
#endif
auto problem(OfA a, RowMajor<const f16> b, RowMajor<f16> c, RowGroups groups) {
  return grouped_gemm_problem(a, b, c, groups, Identity{});
}
