// One operation on the rows of matrices of one type.
//   -DVALUE=bf16 -DOPERATION_rms_norm
// Results in 8 bits: -DQUANTISED=fp8_e4m3, with a scale for each row, or, with -DBLOCKS, for each
// 128 columns of a row. `scales` is null otherwise.
#include "heads.h"
#include "hipsight/kernels/rows.h"

using namespace hipsight::kernels;

namespace {

[[maybe_unused]] auto input(const hipsight_tensor* tensor) {
  return matrix<const VALUE>(tensor);
}
[[maybe_unused]] auto output(const hipsight_tensor* tensor) {
  return matrix<VALUE>(tensor);
}
[[maybe_unused]] auto result(const hipsight_tensor* tensor,
                             [[maybe_unused]] const hipsight_tensor* scales) {
#if defined(BLOCKS)
  return PerBlock(matrix<QUANTISED>(tensor), matrix<float>(scales));
#elif defined(QUANTISED)
  return PerToken(matrix<QUANTISED>(tensor), data_of<float>(scales));
#else
  return output(tensor);
#endif
}

}  // namespace

#if defined(OPERATION_rms_norm)
const char* hipsight_rms_norm(const hipsight_context* context, const hipsight_tensor* x,
                              const hipsight_tensor* weight, const hipsight_tensor* y,
                              float epsilon, const hipsight_tensor* scales) {
  return answer(rms_norm(stream_of(context), input(x), data_of<const VALUE>(weight),
                         result(y, scales), epsilon));
}

#elif defined(OPERATION_add_rms_norm)
const char* hipsight_add_rms_norm(const hipsight_context* context, const hipsight_tensor* x,
                                  const hipsight_tensor* residual, const hipsight_tensor* weight,
                                  const hipsight_tensor* y, const hipsight_tensor* sum,
                                  float epsilon, const hipsight_tensor* scales) {
  return answer(rms_norm(stream_of(context), input(x), data_of<const VALUE>(weight),
                         result(y, scales), epsilon, AddResidual(input(residual), output(sum))));
}

#elif defined(OPERATION_layer_norm)
const char* hipsight_layer_norm(const hipsight_context* context, const hipsight_tensor* x,
                                const hipsight_tensor* weight, const hipsight_tensor* bias,
                                const hipsight_tensor* y, float epsilon) {
  return answer(layer_norm(stream_of(context), input(x), data_of<const VALUE>(weight),
                           data_of<const VALUE>(bias), output(y), epsilon));
}

#elif defined(OPERATION_softmax)
const char* hipsight_softmax(const hipsight_context* context, const hipsight_tensor* x,
                             const hipsight_tensor* y, float scale) {
  return answer(softmax(stream_of(context), input(x), output(y), scale));
}

#elif defined(OPERATION_silu_mul)
const char* hipsight_silu_mul(const hipsight_context* context, const hipsight_tensor* gate,
                              const hipsight_tensor* up, const hipsight_tensor* y,
                              const hipsight_tensor* scales) {
  return answer(silu_mul(stream_of(context), input(gate), input(up), result(y, scales)));
}

#elif defined(OPERATION_gelu_mul)
const char* hipsight_gelu_mul(const hipsight_context* context, const hipsight_tensor* gate,
                              const hipsight_tensor* up, const hipsight_tensor* y,
                              const hipsight_tensor* scales) {
  return answer(gelu_mul(stream_of(context), input(gate), input(up), result(y, scales)));
}

#elif defined(OPERATION_quantise)
const char* hipsight_quantise(const hipsight_context* context, const hipsight_tensor* x,
                              const hipsight_tensor* y, const hipsight_tensor* scales) {
  return answer(convert(stream_of(context), input(x), result(y, scales)));
}

#elif defined(OPERATION_rope)
// -DPAIRING=neighbours, or halves
const char* hipsight_rope(const hipsight_context* context, const hipsight_tensor* x,
                          const hipsight_tensor* y, const hipsight_tensor* cosine,
                          const hipsight_tensor* sine, const hipsight_tensor* positions, int) {
  return answer(rope<Pairing::PAIRING, VALUE>(
      stream_of(context), heads<const VALUE>(x), heads<VALUE>(y), matrix<const float>(cosine),
      matrix<const float>(sine), data_of<const int>(positions)));
}

#else
#error "which operation?"
#endif
