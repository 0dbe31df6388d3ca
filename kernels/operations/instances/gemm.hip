// C = A B of one type, and one order of each of A and B, for any sizes.
//   -DVALUE=f16 -DORDER_A=row_major -DORDER_B=column_major
#include "hipsight/kernels/gemm.h"
#include "tensors.h"

using namespace hipsight::kernels;

const char* hipsight_gemm(const hipsight_context* context, const hipsight_tensor* a,
                          const hipsight_tensor* b, const hipsight_tensor* c) {
  const int batches = c->dimensions == 3 ? static_cast<int>(c->sizes[0]) : 1;
  return answer(gemm(stream_of(context), matrix<const VALUE, Order::ORDER_A>(a),
                     matrix<const VALUE, Order::ORDER_B>(b), matrix<VALUE>(c), Identity{},
                     batches));
}
