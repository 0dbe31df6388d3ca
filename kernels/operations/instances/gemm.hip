// C = A B of one type, and one order of each of A and B, for any sizes.
//   -DVALUE=f16 -DORDER_A=row_major -DORDER_B=column_major; -DSHARES: workgroups may share the
//   depth
#include "hipsight/kernels/gemm.h"
#include "tensors.h"

using namespace hipsight::kernels;

namespace {

int batches_of(const hipsight_tensor* c) {
  return c->dimensions == 3 ? static_cast<int>(c->sizes[0]) : 1;
}

}  // namespace

const char* hipsight_gemm(const hipsight_context* context, const hipsight_tensor* a,
                          const hipsight_tensor* b, const hipsight_tensor* c,
                          [[maybe_unused]] const hipsight_tensor* workspace) {
  const auto of_a = matrix<const VALUE, Order::ORDER_A>(a);
  const auto of_b = matrix<const VALUE, Order::ORDER_B>(b);
#ifdef SHARES
  return answer(gemm(stream_of(context), of_a, of_b, matrix<VALUE>(c), Identity{}, batches_of(c),
                     lent(workspace)));
#else
  return answer(gemm(stream_of(context), of_a, of_b, matrix<VALUE>(c), Identity{}, batches_of(c)));
#endif
}

const char* hipsight_gemm_workspace(const hipsight_context*, const hipsight_tensor* a,
                                    const hipsight_tensor* b, const hipsight_tensor* c,
                                    uint64_t* bytes) {
  *bytes = gemm_workspace(matrix<const VALUE, Order::ORDER_A>(a),
                          matrix<const VALUE, Order::ORDER_B>(b), matrix<VALUE>(c), batches_of(c));
  return nullptr;
}
