// Attention of heads of one type and size, and its gradients: what torch.ops.hipsight.attention
// launches.
//   -DVALUE=bf16 -DHEAD=128, and -DBACKWARD for the gradients
#include "calls.h"
#include "hipsight/kernels/attention.h"
#include "hipsight/kernels/attention_backward.h"
#include "sequences.h"

using namespace hipsight::kernels;

namespace {

/// `log_sums`: batches x heads x places of q, without gaps.
AttentionOptions options_of(const SequencesInMemory& q, void* log_sums, int batches, int causal,
                            float scale) {
  AttentionOptions options{.scale = scale, .batches = batches};
  if (causal) options.band = Band::causal();
  options.log_sums = {static_cast<float*>(log_sums),
                      static_cast<int>(q.length),
                      static_cast<int>(q.heads),
                      1,
                      q.length,
                      q.heads * q.length};
  return options;
}

}  // namespace

#ifndef BACKWARD
HIPSIGHT_EXPORT const char* hipsight_attention(const SequencesInMemory* q,
                                               const SequencesInMemory* k,
                                               const SequencesInMemory* v,
                                               const SequencesInMemory* o, void* log_sums,
                                               int batches, int causal, float scale) {
  if (any_too_long({q, k, v})) return too_long;
  return answer(attention(nullptr, q->as<const VALUE>(), k->as<const VALUE>(), v->as<const VALUE>(),
                          o->as<VALUE>(), options_of(*q, log_sums, batches, causal, scale)));
}
#else
/// `workspace`: a float for each of log_sums.
HIPSIGHT_EXPORT const char* hipsight_attention_backward(
    const SequencesInMemory* q, const SequencesInMemory* k, const SequencesInMemory* v,
    const SequencesInMemory* o, const SequencesInMemory* d_o, const SequencesInMemory* d_q,
    const SequencesInMemory* d_k, const SequencesInMemory* d_v, void* log_sums, int batches,
    int causal, float scale, void* workspace) {
  if (any_too_long({q, k, v})) return too_long;
  const AttentionOptions options = options_of(*q, log_sums, batches, causal, scale);
  const auto of_q = q->as<const VALUE>();
  return answer(attention_backward(
      nullptr, of_q, k->as<const VALUE>(), v->as<const VALUE>(), o->as<const VALUE>(),
      d_o->as<const VALUE>(), d_q->as<VALUE>(), d_k->as<VALUE>(), d_v->as<VALUE>(), options,
      Workspace{workspace, attention_backward_workspace(of_q, options)}));
}
#endif
