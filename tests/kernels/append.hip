// New keys and values into a cache.
#include "append_case.h"
#include "every_instance.h"
#include "hipsight/kernels/append_to_cache.h"
#include "rows_instances.h"

using namespace hipsight::kernels;

namespace {

template <class T, class Cached>
std::string append(const AppendCase& t) {
  const auto heads = [&](const void* data) {
    return Heads<const T>{
        static_cast<const T*>(data), t.tokens, t.heads, t.size, t.token_stride, t.size};
  };
  const std::int64_t stride = std::int64_t{t.heads} * t.size;
  const CachePages<Cached> cache{static_cast<Cached*>(t.to_keys),
                                 static_cast<Cached*>(t.to_values),
                                 t.page_places,
                                 t.page_places * stride,
                                 stride,
                                 t.size};
  if (t.on_host)
    return append_to_cache_on_host<T, Cached>(heads(t.keys), heads(t.values), cache, t.slots,
                                              t.key_scale, t.value_scale)
        .error;
  return finish(append_to_cache<T, Cached>(nullptr, heads(t.keys), heads(t.values), cache, t.slots,
                                           t.key_scale, t.value_scale));
}

}  // namespace

std::string append_bf16(const AppendCase& test) {
  return append<bf16, bf16>(test);
}

std::string append_f16_to_e4m3(const AppendCase& test) {
  return append<f16, fp8_e4m3>(test);
}

std::string append_f16_to_fnuz(const AppendCase& test) {
  return append<f16, fp8_e4m3_fnuz>(test);
}
