// C = A B + bias of weights in 4 bits.
//   -DVALUE=f16
#include "hipsight/kernels/int4_gemm.h"
#include "may_add.h"
#include "tensors.h"

using namespace hipsight::kernels;

namespace {

Int4Weights<VALUE> weights(const hipsight_tensor* codes, const hipsight_tensor* factors) {
  const auto columns = static_cast<int>(codes->sizes[0]) * int4_lines,
             depth = static_cast<int>(codes->sizes[1]) * int4_chunk,
             groups = static_cast<int>(factors->sizes[1]);
  return {data_of<const std::uint32_t>(codes), data_of<const Int4Factors<VALUE>>(factors), depth,
          columns, groups ? depth / groups : 0};
}

}  // namespace

const char* hipsight_int4_gemm(const hipsight_context* context, const hipsight_tensor* a,
                               const hipsight_tensor* codes, const hipsight_tensor* factors,
                               const hipsight_tensor* bias, const hipsight_tensor* c,
                               const hipsight_tensor* workspace) {
  return answer(int4_gemm(stream_of(context), matrix<const VALUE>(a), weights(codes, factors),
                          matrix<VALUE>(c), MayAdd<VALUE>{data_of<const VALUE>(bias)},
                          lent(workspace)));
}

const char* hipsight_int4_workspace(const hipsight_context*, const hipsight_tensor* a,
                                    const hipsight_tensor* codes, const hipsight_tensor* factors,
                                    const hipsight_tensor* c, uint64_t* bytes) {
  *bytes = int4_gemm_workspace(matrix<const VALUE>(a), weights(codes, factors), matrix<VALUE>(c));
  return nullptr;
}
