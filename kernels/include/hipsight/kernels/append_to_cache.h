// New keys and values into the pages of a cache (paged_attention.h reads them), rounded to its
// type.
//
//   append_to_cache(stream, keys, values, {cache_keys, cache_values, 16, page, place, head},
//   slots);
//
// docs/kernels/paged_attention.md
#pragma once

#include "check.h"
#include "convert.h"
#include "rows/rope.h"
#include "status.h"
#include "unaligned.h"
#if defined(__HIP__) || defined(__CUDACC__)
#include "device.h"
#endif

namespace hipsight::kernels {

/// Where keys and values go: element i of head h at place s of page p is keys[p * page_stride +
/// s * stride + h * head_stride + i], and the same of `values`. Strides count elements.
template <class Cached>
struct CachePages {
  Cached* keys = nullptr;
  Cached* values = nullptr;
  int page_places = 0;
  std::int64_t page_stride = 0, stride = 0, head_stride = 0;
};

template <class Value, class Cached>
struct AppendToCache {
  Heads<const Value> keys, values;  // of each token
  CachePages<Cached> cache;
  const int*
      slots;  // of each token: place slot % page_places of page slot / page_places; < 0: none
  float key_factor, value_factor;  // that values are multiplied by before they are rounded

  static constexpr int threads = arch::current == Architecture::host ? 1 : 256;
  static constexpr int width = 8;

  /// A workgroup takes a token, a work-item 8 values at a time.
  HIPSIGHT_INLINE void run(int token) const {
    const int slot = slots[token];
    if (slot < 0) return;
    const int page = slot / cache.page_places, place = slot % cache.page_places;
    const std::int64_t to = page * cache.page_stride + place * cache.stride;
    const int parts = keys.size / width;
    for (int i = arch::thread(); i < keys.heads * parts; i += threads) {
      const int head = i / parts, first = i % parts * width;
      const std::int64_t at = to + head * cache.head_stride + first;
      put(keys, token, head, first, cache.keys + at, key_factor);
      put(values, token, head, first, cache.values + at, value_factor);
    }
  }

 private:
  HIPSIGHT_INLINE static void put(const Heads<const Value>& from, int token, int head, int first,
                                  Cached* to, float factor) {
    const auto given =
        read<width>(from.data + token * from.token_stride + head * from.head_stride + first);
    Vector<float, width> wide = to_f32<Value, width>(given);
    HIPSIGHT_UNROLL
    for (int k = 0; k < width; k++) wide[k] *= factor;
    write<width>(to, from_f32<Cached, width>(wide));
  }
};

template <class Value, class Cached>
std::string wrong_with(const AppendToCache<Value, Cached>& append) {
  Check check("append_to_cache");
  const auto& [keys, values, cache, slots, key_factor, value_factor] = append;
  if (keys.tokens != values.tokens || keys.heads != values.heads || keys.size != values.size)
    check.fail("the keys and the values are of different sizes");
  if (keys.tokens < 0 || keys.heads < 0 || keys.size < 0) check.fail("a size is negative");
  if (keys.size % append.width != 0)
    check.fail("heads of ", keys.size, " values: they must be a multiple of ", append.width);
  if (cache.page_places < 1) check.fail("a page has ", cache.page_places, " places");
  check.scale("the keys' factor", key_factor);
  check.scale("the values' factor", value_factor);
  if (keys.tokens > 0 && keys.heads > 0 && keys.size > 0) {
    check.pointer("the keys", keys.data);
    check.pointer("the values", values.data);
    check.pointer("the cache's keys", cache.keys);
    check.pointer("the cache's values", cache.values);
    check.pointer("the slots", slots);
  }
  return check.error();
}

/// On the scalar reference, on the host.
template <class Value, class Cached>
Status append_to_cache_on_host(const Heads<const Value>& keys, const Heads<const Value>& values,
                               const CachePages<Cached>& cache, const int* slots,
                               float key_scale = 1, float value_scale = 1) {
  const AppendToCache<Value, Cached> append{keys,  values,        cache,
                                            slots, 1 / key_scale, 1 / value_scale};
  if (std::string error = wrong_with(append); !error.empty()) return {std::move(error)};
  for (int token = 0; token < keys.tokens; token++) append.run(token);
  return {};
}

#if defined(__HIP__) || defined(__CUDACC__)

inline constexpr int append_to_cache_threads = 256;

template <class Value, class Cached>
HIPSIGHT_KERNEL(append_to_cache_threads)
void append_to_cache_kernel([[maybe_unused]] AppendToCache<Value, Cached> append) {
#ifndef HIPSIGHT_STARTS_ONLY
  append.run(arch::workgroup());
#endif
}

/// Values are divided by the scales before they are rounded: paged attention multiplies by them.
template <class Value, class Cached>
Status append_to_cache(Stream stream, const Heads<const Value>& keys,
                       const Heads<const Value>& values, const CachePages<Cached>& cache,
                       const int* slots, float key_scale = 1, float value_scale = 1) {
  const AppendToCache<Value, Cached> append{keys,  values,        cache,
                                            slots, 1 / key_scale, 1 / value_scale};
  if (std::string error = wrong_with(append); !error.empty()) return {std::move(error)};
  if (keys.tokens == 0 || keys.heads == 0 || keys.size == 0) return {};
  const std::string error = launch(append_to_cache_kernel<Value, Cached>, {keys.tokens},
                                   append_to_cache_threads, stream, append);
  return {error.empty() ? error : "append_to_cache: " + error};
}

#endif

}  // namespace hipsight::kernels
