// New keys and values into the pages of a cache.
//   -DVALUE=bf16 -DCACHED=fp8_e4m3
#include "heads.h"
#include "hipsight/kernels/append_to_cache.h"

using namespace hipsight::kernels;

const char* hipsight_append_to_cache(const hipsight_context* context, const hipsight_tensor* k,
                                     const hipsight_tensor* v, const hipsight_tensor* keys,
                                     const hipsight_tensor* values, const hipsight_tensor* slots,
                                     float key_scale, float value_scale) {
  const CachePages<CACHED> cache{
      data_of<CACHED>(keys), data_of<CACHED>(values), static_cast<int>(keys->sizes[1]),
      keys->strides[0],      keys->strides[1],        keys->strides[2]};
  return answer(append_to_cache<VALUE, CACHED>(stream_of(context), heads<const VALUE>(k),
                                               heads<const VALUE>(v), cache,
                                               data_of<const int>(slots), key_scale, value_scale));
}
