// C = A B of one type and one order of each of A and B, for any sizes: what torch.ops.hipsight.gemm
// launches.
//   -DVALUE=f16 -DORDER_A=row_major -DORDER_B=column_major
#include "calls.h"
#include "hipsight/kernels/gemm.h"

using namespace hipsight::kernels;

HIPSIGHT_EXPORT const char* hipsight_gemm(const MatrixInMemory* a, const MatrixInMemory* b,
                                          const MatrixInMemory* c, int batches) {
  if (any_too_large({a, b, c})) return "gemm: a matrix has 2^31 rows or columns, or more";
  return answer(gemm(nullptr, a->as<const VALUE, Order::ORDER_A>(),
                     b->as<const VALUE, Order::ORDER_B>(), c->as<VALUE>(), Identity{}, batches));
}
