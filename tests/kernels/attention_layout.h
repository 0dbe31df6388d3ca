// Where the vectors of a case of attention lie.
#pragma once

#include <algorithm>
#include <cstddef>

#include "attention_case.h"

/// Strides that are not given are those of vectors without gaps: place by place, head by head.
inline AttentionCase complete(AttentionCase t) {
  if (!t.value_head) t.value_head = t.head;
  if (!t.head_stride) t.head_stride = t.head;
  if (!t.stride) t.stride = t.heads * t.head_stride;
  if (!t.batch_stride && !t.query_starts) t.batch_stride = t.queries * t.stride;
  if (!t.key_head_stride) t.key_head_stride = t.head;
  if (!t.key_stride) t.key_stride = t.key_heads * t.key_head_stride;
  if (!t.key_batch_stride && !t.key_starts) t.key_batch_stride = t.keys * t.key_stride;
  if (!t.sum_length) t.sum_length = t.queries;
  if (!t.sum_heads) t.sum_heads = t.heads;
  t.sum_head_stride = t.query_starts ? t.query_starts[t.batches] : t.queries;
  t.sum_batch_stride = t.query_starts ? 0 : t.heads * t.sum_head_stride;
  return t;
}

/// Where the places of a case's sequences lie.
struct Places {
  const int* starts;
  int length;

  int first(int batch) const { return starts ? starts[batch] : 0; }
  int count(int batch) const { return starts ? starts[batch + 1] - starts[batch] : length; }
};

struct AttentionLayout {
  AttentionCase test;
  Places queries, keys;

  explicit AttentionLayout(const AttentionCase& given)
      : test(complete(given)),
        queries{test.query_starts, test.queries},
        keys{test.key_starts, test.keys} {}

  std::size_t at_q(int b, int h, int s, int i) const {
    return b * test.batch_stride + (queries.first(b) + s) * test.stride + h * test.head_stride + i;
  }
  std::size_t at_k(int b, int h, int s, int i) const {
    return b * test.key_batch_stride + (keys.first(b) + s) * test.key_stride +
           h * test.key_head_stride + i;
  }
  std::size_t at_sum(int b, int h, int s) const {
    return b * test.sum_batch_stride + h * test.sum_head_stride + queries.first(b) + s;
  }
  std::size_t size_of_q() const {
    std::size_t end = 0;
    for (int b = 0; b < test.batches; b++)
      if (queries.count(b) && test.heads)
        end = std::max(end, at_q(b, test.heads - 1, queries.count(b) - 1, test.head - 1) + 1);
    return end;
  }
  std::size_t size_of_k() const {
    std::size_t end = 0;
    for (int b = 0; b < test.batches; b++)
      if (keys.count(b))
        end = std::max(end, at_k(b, test.key_heads - 1, keys.count(b) - 1, test.head - 1) + 1);
    return end;
  }

  /// The keys that query s of n sees, by the definition in band.h.
  bool sees(int b, int s, int key) const {
    const int place = s + keys.count(b) - queries.count(b);
    return place - test.before <= key && key <= place + test.after;
  }
};
