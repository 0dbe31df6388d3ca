// Gradients of attention: heads of 64 in f16 and of 128 in bf16, or all in both.
#include "attention_backward_case.h"
#include "every_instance.h"
#include "finish.h"
#include "hipsight/kernels/attention_backward.h"
#include "hipsight/kernels/attention_backward/on_host.h"

using namespace hipsight::kernels;

namespace {

template <int head, class T>
std::string run(const AttentionCase& t, const AttentionGradients& of) {
  const auto queries = [&]<class Value>(Value* data) {
    return Sequences<Value, head>{data,     t.queries,     t.heads,
                                  t.stride, t.head_stride, t.batch_stride};
  };
  const auto keys = [&]<class Value>(Value* data) {
    return Sequences<Value, head>{
        data, t.keys, t.key_heads, t.key_stride, t.key_head_stride, t.key_batch_stride};
  };
  const auto read = [](const void* data) { return static_cast<const T*>(data); };
  const auto written = [](void* data) { return static_cast<T*>(data); };
  const AttentionOptions options{.scale = t.scale,
                                 .band = {t.before, t.after},
                                 .batches = t.batches,
                                 .query_starts = t.query_starts,
                                 .key_starts = t.key_starts,
                                 .log_sums = {of.log_sums, t.sum_length, t.sum_heads, t.sum_stride,
                                              t.sum_head_stride, t.sum_batch_stride}};
  const auto q = queries(read(of.q)), o = queries(read(of.o)), d_o = queries(read(of.d_o));
  const auto k = keys(read(of.k)), v = keys(read(of.v));
  const auto d_q = queries(written(of.d_q));
  const auto d_k = keys(written(of.d_k)), d_v = keys(written(of.d_v));
  if (t.on_host) return attention_backward_on_host(q, k, v, o, d_o, d_q, d_k, d_v, options).error;
  return finish(attention_backward(nullptr, q, k, v, o, d_o, d_q, d_k, d_v, options,
                                   {of.workspace, of.workspace_bytes}));
}

/// The case's head, if it is one of `heads`.
template <class T, int... heads>
std::string run_one_of(std::integer_sequence<int, heads...>, const AttentionCase& test,
                       const AttentionGradients& of) {
  std::string error = "no such kernel here";
  const auto try_one = [&]<int head>(std::integral_constant<int, head>) {
    if (test.head == head) error = run<head, T>(test, of);
  };
  (try_one(std::integral_constant<int, heads>()), ...);
  return error;
}

template <int... heads>
using EveryBackwardHeadOr =
    std::conditional_t<every_instance, std::integer_sequence<int, 32, 64, 96, 128>,
                       std::integer_sequence<int, heads...>>;

}  // namespace

std::string run_attention_backward_f16(const AttentionCase& test, const AttentionGradients& of) {
  return run_one_of<f16>(EveryBackwardHeadOr<64>(), test, of);
}

std::string run_attention_backward_bf16(const AttentionCase& test, const AttentionGradients& of) {
  return run_one_of<bf16>(EveryBackwardHeadOr<128>(), test, of);
}

std::size_t workspace_of_attention_backward(const AttentionCase& t) {
  return attention_backward_workspace(Sequences<const f16, 64>{nullptr, t.queries, t.heads},
                                      {.batches = t.batches});
}
