// Groups of rows of A, each times a B of its own: what torch.ops.hipsight.grouped_gemm launches.
//   -DVALUE=bf16 -DORDER_B=column_major
#include "calls.h"
#include "hipsight/kernels/grouped_gemm.h"

using namespace hipsight::kernels;

/// `index`: `count` rows of A in another order, or null: all of them as they are. `starts`: of
/// `groups` groups, and the end of the last one.
HIPSIGHT_EXPORT const char* hipsight_grouped_gemm(const MatrixInMemory* a, const MatrixInMemory* b,
                                                  const MatrixInMemory* c, const int* index,
                                                  const int* starts, int groups) {
  if (any_too_large({a, b, c})) return "a matrix has 2^31 rows or columns, or more";
  const auto of_a = a->as<const VALUE>();
  const auto of_b = b->as<const VALUE, Order::ORDER_B>();
  const auto of_c = c->as<VALUE>();
  const RowGroups of_groups{starts, groups};
#ifdef INDEXED
  return answer(grouped_gemm(nullptr, indexed_rows(of_a, index, of_c.rows), of_b, of_c, of_groups));
#else
  return answer(grouped_gemm(nullptr, of_a, of_b, of_c, of_groups));
#endif
}
