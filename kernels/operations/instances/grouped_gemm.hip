// Groups of rows of A, each times a B of its own.
//   -DVALUE=bf16 -DORDER_B=column_major, and -DINDEXED for rows of A in another order
#include "hipsight/kernels/grouped_gemm.h"
#include "tensors.h"

using namespace hipsight::kernels;

const char* hipsight_grouped_gemm(const hipsight_context* context, const hipsight_tensor* a,
                                  const hipsight_tensor* b, const hipsight_tensor* c,
                                  [[maybe_unused]] const hipsight_tensor* rows,
                                  const hipsight_tensor* starts) {
  const auto stream = stream_of(context);
  const auto of_a = matrix<const VALUE>(a);
  const auto of_b = matrix<const VALUE, Order::ORDER_B>(b);
  const auto of_c = matrix<VALUE>(c);
  const RowGroups groups{data_of<const int>(starts), static_cast<int>(b->sizes[0])};
#ifdef INDEXED
  return answer(grouped_gemm(stream, indexed_rows(of_a, data_of<const int>(rows), of_c.rows), of_b,
                             of_c, groups));
#else
  return answer(grouped_gemm(stream, of_a, of_b, of_c, groups));
#endif
}
