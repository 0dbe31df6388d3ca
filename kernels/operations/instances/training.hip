// One operation of training on matrices of one type.
//   -DVALUE=bf16 -DOPERATION_rms_norm_backward
#include "hipsight/kernels/training.h"
#include "tensors.h"

using namespace hipsight::kernels;

namespace {

[[maybe_unused]] auto input(const hipsight_tensor* tensor) {
  return matrix<const VALUE>(tensor);
}
[[maybe_unused]] auto output(const hipsight_tensor* tensor) {
  return matrix<VALUE>(tensor);
}
[[maybe_unused]] Workspace workspace_of(const hipsight_tensor* bytes) {
  return {bytes->data, static_cast<std::size_t>(bytes->sizes[0])};
}

}  // namespace

#if defined(OPERATION_rms_norm_backward)
const char* hipsight_rms_norm_backward(const hipsight_context* context, const hipsight_tensor* x,
                                       const hipsight_tensor* weight, const hipsight_tensor* d_y,
                                       const hipsight_tensor* d_x, const hipsight_tensor* d_weight,
                                       const hipsight_tensor* workspace, float epsilon) {
  return answer(rms_norm_backward<VALUE>(stream_of(context), input(x), data_of<const VALUE>(weight),
                                         input(d_y), output(d_x), data_of<VALUE>(d_weight), epsilon,
                                         workspace_of(workspace)));
}
const char* hipsight_rms_norm_backward_workspace(const hipsight_context*, const hipsight_tensor* x,
                                                 uint64_t* bytes) {
  *bytes = rms_norm_backward_workspace<VALUE>(input(x).rows, input(x).columns);
  return nullptr;
}

#elif defined(OPERATION_layer_norm_backward)
const char* hipsight_layer_norm_backward(const hipsight_context* context, const hipsight_tensor* x,
                                         const hipsight_tensor* weight, const hipsight_tensor* d_y,
                                         const hipsight_tensor* d_x,
                                         const hipsight_tensor* d_weight,
                                         const hipsight_tensor* d_bias,
                                         const hipsight_tensor* workspace, float epsilon) {
  return answer(layer_norm_backward<VALUE>(
      stream_of(context), input(x), data_of<const VALUE>(weight), input(d_y), output(d_x),
      data_of<VALUE>(d_weight), data_of<VALUE>(d_bias), epsilon, workspace_of(workspace)));
}
const char* hipsight_layer_norm_backward_workspace(const hipsight_context*,
                                                   const hipsight_tensor* x, uint64_t* bytes) {
  *bytes = layer_norm_backward_workspace<VALUE>(input(x).rows, input(x).columns);
  return nullptr;
}

#elif defined(OPERATION_softmax_backward)
const char* hipsight_softmax_backward(const hipsight_context* context, const hipsight_tensor* y,
                                      const hipsight_tensor* d_y, const hipsight_tensor* d_x,
                                      float scale) {
  return answer(
      softmax_backward<VALUE>(stream_of(context), input(y), input(d_y), output(d_x), scale));
}

#elif defined(OPERATION_silu_mul_backward)
const char* hipsight_silu_mul_backward(const hipsight_context* context, const hipsight_tensor* gate,
                                       const hipsight_tensor* up, const hipsight_tensor* d_y,
                                       const hipsight_tensor* d_gate, const hipsight_tensor* d_up) {
  return answer(silu_mul_backward<VALUE>(stream_of(context), input(gate), input(up), input(d_y),
                                         output(d_gate), output(d_up)));
}

#elif defined(OPERATION_gelu_mul_backward)
const char* hipsight_gelu_mul_backward(const hipsight_context* context, const hipsight_tensor* gate,
                                       const hipsight_tensor* up, const hipsight_tensor* d_y,
                                       const hipsight_tensor* d_gate, const hipsight_tensor* d_up) {
  return answer(gelu_mul_backward<VALUE>(stream_of(context), input(gate), input(up), input(d_y),
                                         output(d_gate), output(d_up)));
}

#elif defined(OPERATION_cross_entropy)
const char* hipsight_cross_entropy(const hipsight_context* context, const hipsight_tensor* logits,
                                   const hipsight_tensor* targets, const hipsight_tensor* losses,
                                   const hipsight_tensor* d_logits, float factor) {
  return answer(cross_entropy<VALUE>(stream_of(context), input(logits), data_of<const int>(targets),
                                     data_of<float>(losses), output(d_logits), factor));
}

#elif defined(OPERATION_adamw)
// -DGRADIENT=bf16
const char* hipsight_adamw(const hipsight_context* context, const hipsight_tensor* gradient,
                           const hipsight_tensor* parameters, const hipsight_tensor* mean,
                           const hipsight_tensor* square, const hipsight_tensor* master,
                           const hipsight_adamw_step* step) {
  RowMajor<float> in_f32;
  if (master) in_f32 = matrix<float>(master);
  return answer(adamw<VALUE, GRADIENT>(stream_of(context), matrix<const GRADIENT>(gradient),
                                       output(parameters), matrix<float>(mean),
                                       matrix<float>(square),
                                       {.rate = step->rate,
                                        .beta1 = step->beta1,
                                        .beta2 = step->beta2,
                                        .epsilon = step->epsilon,
                                        .decay = step->decay,
                                        .step = step->step,
                                        .gradient_factor = step->gradient_factor},
                                       in_f32));
}

#else
#error "which operation?"
#endif
