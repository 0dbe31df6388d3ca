// What the kernels of attention to a paged cache are given.
#pragma once

#include "../attention/band.h"
#include "../attention/scores.h"
#include "../attention/sequences.h"
#include "../tile/tile_order.h"
#include "cache.h"

namespace hipsight::kernels {

/// Where results go. With more than one split: those of each, and the logarithms, to base 2, of
/// their sums of weights.
template <class Value, int head>
struct PagedResults {
  Sequences<Value, head> o;
  int splits;
  float *of_splits, *log_sums;

  HIPSIGHT_INLINE Sequences<float, head> of_split(int split) const {
    return part<head>(of_splits, split);
  }
  HIPSIGHT_INLINE Sequences<float, 1> log_sums_of(int split) const {
    return part<1>(log_sums, split);
  }

 private:
  /// Those of a head's query lie side by side.
  template <int size>
  HIPSIGHT_INLINE Sequences<float, size> part(float* data, int split) const {
    const std::int64_t head_stride = static_cast<std::int64_t>(splits) * size;
    const std::int64_t stride = o.heads * head_stride;
    return {data + split * size, o.length, o.heads, stride, head_stride, o.length * stride};
  }
};

template <class Value, class Cached, int head, int value_head, class Change = PlainScores>
struct PagedArguments {
  Sequences<const Value, head> q;
  PagedResults<Value, value_head> results;
  PagedCache<Cached, head> cache;
  const float *key_scales, *value_scales;  // of each head of the cache, may be null
  float factor, value_factor;              // from scores to powers of 2; of the values
  Band band;
  TileOrder tiles;  // a row for each head of the cache of a batch of a split, a column for queries
  Divisor heads, batches, splits, group;
  int page_shift;
  [[no_unique_address]] Change change;
};

}  // namespace hipsight::kernels
