// The kernels of one element type, chosen at run time.
#pragma once

#include "attention_case.h"
#include "finish.h"
#include "hipsight/kernels/attention.h"
#include "hipsight/kernels/attention/on_host.h"

namespace hipsight::kernels {

/// A case whose template arguments are known.
template <int head, int value_head = head, class T, class... Asked>
std::string run_attention(const AttentionCase& t, const T* q, const T* k, const T* v, T* o,
                          float* log_sums, const Asked&... asked) {
  const Sequences<const T, head> of_q{q,        t.queries,     t.heads,
                                      t.stride, t.head_stride, t.batch_stride};
  const Sequences<T, value_head> of_o{o,        t.queries,     t.heads,
                                      t.stride, t.head_stride, t.batch_stride};
  const auto keys = [&]<int size>(const T* data) {
    return Sequences<const T, size>{
        data, t.keys, t.key_heads, t.key_stride, t.key_head_stride, t.key_batch_stride};
  };
  const AttentionOptions options{.scale = t.scale,
                                 .band = {t.before, t.after},
                                 .batches = t.batches,
                                 .query_starts = t.query_starts,
                                 .key_starts = t.key_starts,
                                 .log_sums = {log_sums, t.sum_length, t.sum_heads, t.sum_stride,
                                              t.sum_head_stride, t.sum_batch_stride}};
  const auto of_k = keys.template operator()<head>(k);
  const auto of_v = keys.template operator()<value_head>(v);
  if (t.on_host) return attention_on_host(of_q, of_k, of_v, of_o, options, asked...).error;
  return finish(attention(nullptr, of_q, of_k, of_v, of_o, options, asked...));
}

/// The case's head, if it is one of `heads`, with values of the same size.
template <class T, int... heads>
std::string run_one_of(std::integer_sequence<int, heads...>, const AttentionCase& test,
                       const void* q, const void* k, const void* v, void* o, float* log_sums) {
  std::string error = "no such kernel here";
  const auto values = [](const void* data) { return static_cast<const T*>(data); };
  const auto try_one = [&]<int head>(std::integral_constant<int, head>) {
    if (test.head == head && test.value_head == head)
      error =
          run_attention<head>(test, values(q), values(k), values(v), static_cast<T*>(o), log_sums);
  };
  (try_one(std::integral_constant<int, heads>()), ...);
  return error;
}

}  // namespace hipsight::kernels
