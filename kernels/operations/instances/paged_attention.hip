// Attention to keys and values in the pages of a cache.
//   -DVALUE=bf16 -DCACHED=fp8_e4m3 -DHEAD=128, and -DCAPPED, -DSUNK; -DVALUE_HEAD=512 of latents
#include "hipsight/kernels/paged_attention.h"
#include "scores.h"
#include "sequences.h"

#ifndef VALUE_HEAD
#define VALUE_HEAD HEAD
#endif

using namespace hipsight::kernels;

namespace {

PagedCache<CACHED, HEAD> cache_of(const hipsight_tensor* keys, const hipsight_tensor* values,
                                  const hipsight_tensor* pages, const hipsight_tensor* lengths) {
  const auto* const strides = keys->strides;
  return {
      data_of<const CACHED>(keys),
      data_of<const CACHED>(values),
      static_cast<int>(keys->sizes[2]),
      static_cast<int>(keys->sizes[1]),
      strides[0],
      strides[1],
      strides[2],
      {data_of<const int>(pages), static_cast<int>(pages->sizes[1]), data_of<const int>(lengths)}};
}

int batches(const hipsight_tensor* q) {
  return static_cast<int>(q->sizes[0]);
}

}  // namespace

const char* hipsight_paged_attention_workspace(const hipsight_context*, const hipsight_tensor* q,
                                               const hipsight_tensor* keys,
                                               const hipsight_tensor* values,
                                               const hipsight_tensor* pages,
                                               const hipsight_tensor* lengths,
                                               const hipsight_tensor* o, uint64_t* bytes) {
  // Any scale: latents have none of their own, and it takes no room.
  const PagedAttentionOptions options{.scale = 1, .batches = batches(q)};
  *bytes = paged_attention_workspace(sequences<const VALUE, HEAD>(q),
                                     cache_of(keys, values, pages, lengths),
                                     sequences<VALUE, VALUE_HEAD>(o), options);
  return nullptr;
}

const char* hipsight_paged_attention(const hipsight_context* context, const hipsight_tensor* q,
                                     const hipsight_tensor* keys, const hipsight_tensor* values,
                                     const hipsight_tensor* pages, const hipsight_tensor* lengths,
                                     const hipsight_tensor* o, const hipsight_tensor* workspace,
                                     const hipsight_tensor* sinks,
                                     const hipsight_attention_options* given, float key_scale,
                                     float value_scale) {
  const PagedAttentionOptions options{.scale = given->scale,
                                      .band = band_of(given),
                                      .batches = batches(q),
                                      .key_scale = key_scale,
                                      .value_scale = value_scale,
                                      .workspace = lent(workspace)};
  return answer(with_changes(sinks, given, [&](const auto&... asked) {
    return paged_attention(stream_of(context), sequences<const VALUE, HEAD>(q),
                           cache_of(keys, values, pages, lengths), sequences<VALUE, VALUE_HEAD>(o),
                           options, asked...);
  }));
}
