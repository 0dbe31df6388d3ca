// The kernels of one element type, chosen at run time.
#pragma once

#include "finish.h"
#include "hipsight/kernels/paged_attention.h"
#include "hipsight/kernels/paged_attention/on_host.h"
#include "paged_case.h"

namespace hipsight::kernels {

/// A case whose template arguments are known, as arguments of f(q, cache, o, options).
template <int head, int value_head, class T, class Cached, class F>
auto with_arguments(const PagedCase& t, const T* q, const Cached* keys, const Cached* values, T* o,
                    F f) {
  const Sequences<const T, head> of_q{q,        t.queries,     t.heads,
                                      t.stride, t.head_stride, t.batch_stride};
  const Sequences<T, value_head> of_o{o,        t.queries,     t.heads,
                                      t.stride, t.head_stride, t.batch_stride};
  const PagedCache<Cached, head> cache{
      keys,          values,         t.key_heads,       t.page_places,
      t.page_stride, t.place_stride, t.key_head_stride, {t.pages, t.most_pages, t.lengths}};
  const PagedAttentionOptions options{.scale = t.scale,
                                      .band = {t.before, t.after},
                                      .batches = t.batches,
                                      .longest = t.longest,
                                      .splits = t.splits,
                                      .key_scale = t.key_scale,
                                      .value_scale = t.value_scale,
                                      .key_scales = t.key_scales,
                                      .value_scales = t.value_scales,
                                      .workspace = {t.workspace, t.workspace_bytes}};
  return f(of_q, cache, of_o, options);
}

/// The case's head and type of cache, if they are these.
template <int head, class Cached, int value_head = head, class T, class... Asked>
bool run_if(const PagedCase& test, CacheType type, const T* q, const void* keys, const void* values,
            T* o, std::string& error, const Asked&... asked) {
  if (test.head != head || test.value_head != value_head || test.cached != type) return false;
  const auto of_cache = [](const void* data) { return static_cast<const Cached*>(data); };
  error = with_arguments<head, value_head>(
      test, q, of_cache(keys), of_cache(values), o,
      [&](const auto& of_q, const auto& cache, const auto& of_o, const auto& options) {
        if (test.on_host)
          return paged_attention_on_host(of_q, cache, of_o, options, asked...).error;
        return finish(paged_attention(nullptr, of_q, cache, of_o, options, asked...));
      });
  return true;
}

}  // namespace hipsight::kernels
