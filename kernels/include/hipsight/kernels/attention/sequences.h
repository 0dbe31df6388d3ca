// Queries, keys, values and results of attention, as callers give them.
#pragma once

#include "../tile/global_tile.h"

namespace hipsight::kernels {

/// Vectors of `size` elements, one for each head and each place of a sequence, for each sequence of
/// a batch: element i of head h at place s of sequence b is
/// data[b * batch_stride + s * stride + h * head_stride + i]. Strides count elements.
template <class Value, int size_>
struct Sequences {
  using Element = Value;
  static constexpr int size = size_;

  Value* data = nullptr;
  int length = 0, heads = 0;  // places of a sequence (of the longest), heads
  std::int64_t stride = 0, head_stride = 0, batch_stride = 0;
};

/// Vectors that lie without gaps: sequence by sequence, place by place, head by head.
template <int size, class Value>
Sequences<Value, size> packed_sequences(Value* data, int length, int heads) {
  return {
      data, length, heads, std::int64_t{heads} * size, size, std::int64_t{length} * heads * size};
}

/// Where the sequences of a batch begin, if they lie one after the other: `batches` + 1 places.
/// Null: each begins at place 0 of its batch.
using Starts = const int*;

/// A head of a sequence: its places are the rows.
template <class Value, int size>
HIPSIGHT_INLINE GlobalTile<Value> rows_of(const Sequences<Value, size>& heads, int batch, int head,
                                          Starts starts) {
  const int first = starts ? starts[batch] : 0;
  const int length = starts ? starts[batch + 1] - first : heads.length;
  Value* const data =
      heads.data + batch * heads.batch_stride + first * heads.stride + head * heads.head_stride;
  const auto bytes = static_cast<std::uint64_t>(heads.stride) * sizeof(Value);
  const bool aligned = (reinterpret_cast<std::uintptr_t>(data) | bytes) % chunk_bytes == 0;
  return {data, length, size, static_cast<int>(heads.stride), aligned};
}

}  // namespace hipsight::kernels
