// Attention to keys and values in the pages of a cache: what torch.ops.hipsight.paged_attention
// launches.
//   -DVALUE=bf16 -DCACHED=fp8_e4m3 -DHEAD=128
#include "calls.h"
#include "hipsight/kernels/paged_attention.h"
#include "sequences.h"

using namespace hipsight::kernels;

/// Strides are in elements; `most` pages of each sequence are in the table.
struct CacheInMemory {
  const void *keys, *values;
  std::int64_t heads, page_places, page_stride, stride, head_stride;
  const int *pages, *lengths;
  std::int64_t most;

  PagedCache<CACHED, HEAD> cache() const {
    return {static_cast<const CACHED*>(keys),
            static_cast<const CACHED*>(values),
            static_cast<int>(heads),
            static_cast<int>(page_places),
            page_stride,
            stride,
            head_stride,
            {pages, static_cast<int>(most), lengths}};
  }
  bool is_too_large() const {
    return heads > INT32_MAX || page_places > INT32_MAX || most > INT32_MAX;
  }
};

namespace {

PagedAttentionOptions options_of(int batches, int causal, float scale, float key_scale,
                                 float value_scale, void* workspace, std::size_t bytes) {
  return {.scale = scale,
          .band = causal ? Band::causal() : Band{},
          .batches = batches,
          .key_scale = key_scale,
          .value_scale = value_scale,
          .workspace = {workspace, bytes}};
}

constexpr const char* too_large = "a sequence or the cache has 2^31 places or heads, or more";

}  // namespace

/// The bytes of workspace with which hipsight_paged_attention is quickest.
HIPSIGHT_EXPORT const char* hipsight_paged_attention_workspace(const SequencesInMemory* q,
                                                               const CacheInMemory* cache,
                                                               const SequencesInMemory* o,
                                                               int batches, std::uint64_t* bytes) {
  if (any_too_long({q, o}) || cache->is_too_large()) return too_large;
  *bytes = paged_attention_workspace(q->as<const VALUE>(), cache->cache(), o->as<VALUE>(),
                                     {.batches = batches});
  return "";
}

HIPSIGHT_EXPORT const char* hipsight_paged_attention(const SequencesInMemory* q,
                                                     const CacheInMemory* cache,
                                                     const SequencesInMemory* o, int batches,
                                                     int causal, float scale, float key_scale,
                                                     float value_scale, void* workspace,
                                                     std::uint64_t bytes) {
  if (any_too_long({q, o}) || cache->is_too_large()) return too_large;
  return answer(paged_attention(
      nullptr, q->as<const VALUE>(), cache->cache(), o->as<VALUE>(),
      options_of(batches, causal, scale, key_scale, value_scale, workspace, bytes)));
}
