// A mixture of experts, but for its matrices, of one type.
//   -DVALUE=bf16 -DOPERATION_route, _sort (of no type) or _combine
#include "hipsight/kernels/moe.h"
#include "tensors.h"

using namespace hipsight::kernels;

#if defined(OPERATION_route)
const char* hipsight_moe_route(const hipsight_context* context, const hipsight_tensor* scores,
                               const hipsight_tensor* bias, const hipsight_tensor* experts,
                               const hipsight_tensor* weights,
                               const hipsight_moe_options* options) {
  return answer(moe_route<VALUE>(stream_of(context), matrix<const VALUE>(scores),
                                 matrix<int>(experts), matrix<float>(weights),
                                 {.scoring = options->sigmoid ? Scoring::sigmoid : Scoring::softmax,
                                  .chosen = static_cast<int>(experts->sizes[1]),
                                  .renormalise = options->renormalise != 0,
                                  .factor = options->factor,
                                  .bias = data_of<const float>(bias),
                                  .groups = options->groups,
                                  .chosen_groups = options->chosen_groups,
                                  .of_group = options->of_group}));
}

#elif defined(OPERATION_sort)
const char* hipsight_moe_sort(const hipsight_context* context, const hipsight_tensor* experts,
                              const hipsight_tensor* starts, const hipsight_tensor* rows,
                              const hipsight_tensor* places) {
  const auto chosen = static_cast<int>(experts->sizes[1]);
  return answer(moe_sort(stream_of(context), data_of<const int>(experts),
                         static_cast<int>(experts->sizes[0]) * chosen, chosen,
                         static_cast<int>(starts->sizes[0]) - 1, data_of<int>(starts),
                         data_of<int>(rows), data_of<int>(places)));
}

#elif defined(OPERATION_combine)
const char* hipsight_moe_combine(const hipsight_context* context, const hipsight_tensor* x,
                                 const hipsight_tensor* places, const hipsight_tensor* weights,
                                 const hipsight_tensor* y) {
  return answer(moe_combine<VALUE>(stream_of(context), matrix<const VALUE>(x),
                                   data_of<const int>(places), matrix<const float>(weights),
                                   matrix<VALUE>(y)));
}

#else
#error "which operation?"
#endif
