// Attention of heads of one type and size, and its gradients.
//   -DVALUE=bf16 -DHEAD=128, and -DBACKWARD for the gradients, or -DVALUE_HEAD=128, -DCAPPED,
//   -DSUNK
#include "hipsight/kernels/attention.h"
#include "hipsight/kernels/attention_backward.h"
#include "scores.h"
#include "sequences.h"

#ifndef VALUE_HEAD
#define VALUE_HEAD HEAD
#endif

using namespace hipsight::kernels;

namespace {

template <int size = HEAD>
auto input(const hipsight_tensor* tensor) {
  return sequences<const VALUE, size>(tensor);
}
template <int size = HEAD>
auto output(const hipsight_tensor* tensor) {
  return sequences<VALUE, size>(tensor);
}

AttentionOptions options_of(const hipsight_tensor* q, const hipsight_tensor* log_sums,
                            const hipsight_attention_options* given) {
  const auto heads = static_cast<int>(q->sizes[1]), length = static_cast<int>(q->sizes[2]);
  AttentionOptions options{
      .scale = given->scale, .band = band_of(given), .batches = static_cast<int>(q->sizes[0])};
  options.log_sums = {data_of<float>(log_sums),    length, heads, 1, length,
                      std::int64_t{heads} * length};
  return options;
}

}  // namespace

#ifndef BACKWARD
const char* hipsight_attention(const hipsight_context* context, const hipsight_tensor* q,
                               const hipsight_tensor* k, const hipsight_tensor* v,
                               const hipsight_tensor* o, const hipsight_tensor* log_sums,
                               [[maybe_unused]] const hipsight_tensor* sinks,
                               const hipsight_attention_options* options) {
  return answer(with_changes(sinks, options, [&](const auto&... asked) {
    return attention(stream_of(context), input(q), input(k), input<VALUE_HEAD>(v),
                     output<VALUE_HEAD>(o), options_of(q, log_sums, options), asked...);
  }));
}
#else
const char* hipsight_attention_backward(const hipsight_context* context, const hipsight_tensor* q,
                                        const hipsight_tensor* k, const hipsight_tensor* v,
                                        const hipsight_tensor* o, const hipsight_tensor* d_o,
                                        const hipsight_tensor* d_q, const hipsight_tensor* d_k,
                                        const hipsight_tensor* d_v, const hipsight_tensor* log_sums,
                                        const hipsight_tensor* workspace,
                                        const hipsight_attention_options* given) {
  const AttentionOptions options = options_of(q, log_sums, given);
  const Workspace room{data_of<void>(workspace), attention_backward_workspace(input(q), options)};
  return answer(attention_backward(stream_of(context), input(q), input(k), input(v), input(o),
                                   input(d_o), output(d_q), output(d_k), output(d_v), options,
                                   room));
}
#endif
