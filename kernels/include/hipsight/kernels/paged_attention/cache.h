// Keys and values in the pages of a cache, as callers give them.
#pragma once

#include "../types.h"

namespace hipsight::kernels {

/// Which pages a sequence's places are in, in the memory of the device: place s of sequence b is
/// place s % page_places of page pages[b * most + s / page_places]. What is beyond a sequence's
/// length, or seen by no query, is not looked up.
struct PageTable {
  const int* pages = nullptr;
  int most = 0;                  // pages of a sequence
  const int* lengths = nullptr;  // places of each sequence, its queries' own included
};

/// Vectors of `size` elements, one for each place and each head: element i of head h at place s of
/// page p is keys[p * page_stride + s * stride + h * head_stride + i], and the same of `values`.
/// Strides count elements. All that is 16 bytes apart or more must be aligned to 16 bytes.
template <class Value, int size_>
struct PagedCache {
  using Element = Value;
  static constexpr int size = size_;

  const Value* keys = nullptr;
  const Value* values = nullptr;
  int heads = 0;
  int page_places = 0;  // a power of two
  std::int64_t page_stride = 0, stride = 0, head_stride = 0;
  PageTable table{};
};

/// Pages without gaps, place by place and head by head, as vLLM has them.
template <int size, class Value>
PagedCache<Value, size> pages_by_place(const Value* keys, const Value* values, int heads,
                                       int page_places, const PageTable& table) {
  const std::int64_t stride = std::int64_t{heads} * size;
  return {keys, values, heads, page_places, page_places * stride, stride, size, table};
}

/// Pages of latents without gaps (MLA): one vector of a place for all heads, which are keys, and
/// whose first elements are the values.
template <int size, class Value>
PagedCache<Value, size> pages_of_latents(const Value* latents, int page_places,
                                         const PageTable& table) {
  return {latents, latents, 1, page_places, std::int64_t{page_places} * size, size, size, table};
}

/// Pages without gaps, head by head and place by place.
template <int size, class Value>
PagedCache<Value, size> pages_by_head(const Value* keys, const Value* values, int heads,
                                      int page_places, const PageTable& table) {
  const std::int64_t head_stride = std::int64_t{page_places} * size;
  return {keys, values, heads, page_places, heads * head_stride, size, head_stride, table};
}

}  // namespace hipsight::kernels
