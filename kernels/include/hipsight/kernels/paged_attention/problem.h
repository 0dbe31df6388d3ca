// Attention to a paged cache as its caller states it, and what is wrong with it.
#pragma once

#include <string>
#include <type_traits>

#include "../attention/check.h"
#include "../workspace.h"
#include "combine.h"
#include "kernel.h"

namespace hipsight::kernels {

inline constexpr int most_splits = 256;

struct PagedAttentionOptions {
  float scale = 0;  // of the scores; 0: 1 / sqrt(size of a head)
  /// The last query stands at the last key's place.
  Band band = Band::causal();
  int batches = 1;
  /// No sequence has more places; 0: as many as its pages.
  int longest = 0;
  /// Among so many workgroups the keys of a query are split; 0: as many as are quickest.
  int splits = 0;
  /// What the cache holds is multiplied by these, and by those of each of its heads, in the memory
  /// of the device, if they are not null.
  float key_scale = 1, value_scale = 1;
  const float* key_scales = nullptr;
  const float* value_scales = nullptr;
  /// Needed by more than one split: paged_attention_workspace().
  Workspace workspace{};
};

template <class T, class Cached, int head>
struct PagedProblem {
  using Workgroup = PagedWorkgroup<T, Cached, head>;
  using Combine = CombineWorkgroup<T, head>;

  Sequences<const T, head> q;
  Sequences<T, head> o;
  PagedCache<Cached, head> cache;
  PagedAttentionOptions options;

  /// What no kernel takes, in a sentence, or empty.
  std::string error() const {
    const std::string name = "paged_attention: ";
    const auto number = [](auto x) { return std::to_string(x); };
    if (q.length < 0 || q.heads < 0 || cache.heads < 0)
      return name + "a size is negative: Q has " + size_of(q) + " and the cache has " +
             number(cache.heads) + " heads";
    for (const auto& error : {error_of_queries(name, q, o, cache.heads, options),
                              error_of_scale(name + "the scale of keys", options.key_scale),
                              error_of_scale(name + "the scale of values", options.value_scale)})
      if (!error.empty()) return error;
    if (rows() * most_splits > INT32_MAX)
      return name + "there are more than 2^23 queries, of all heads and batches";
    if (cache.page_places < 1 || cache.page_places & (cache.page_places - 1))
      return name + "pages of " + number(cache.page_places) + " places: it must be a power of two";
    if (cache.table.most < 0 || capacity() > most_places)
      return name + "a sequence has " + number(cache.table.most) + " pages of " +
             number(cache.page_places) + " places: at most " + number(most_places) +
             " places are possible";
    if (options.longest < 0 || options.longest > capacity())
      return name + "the longest sequence has " + number(options.longest) +
             " places, and its pages have " + number(capacity());
    if (options.splits < 0 || options.splits > most_splits)
      return name + number(options.splits) + " splits: it must be 1 to " + number(most_splits) +
             ", or 0 for as many as are quickest";
    if (empty()) return {};
    if (!q.data || !o.data || !cache.table.lengths ||
        (cache.table.most && !(cache.keys && cache.values && cache.table.pages)))
      return name + "Q, O, the cache or its table is null";
    return error_of_alignment();
  }

  /// What only workspaces can be too small for.
  std::string error_of_workspace(int splits) const {
    const std::size_t bytes = workspace_bytes(splits);
    if (splits == 1 || (options.workspace.data && options.workspace.bytes >= bytes)) return {};
    return "paged_attention: " + std::to_string(splits) + " splits need " + std::to_string(bytes) +
           " bytes of workspace, and there are " +
           std::to_string(options.workspace.data ? options.workspace.bytes : 0);
  }

  bool empty() const { return rows() == 0; }

  /// Of all heads and batches.
  std::int64_t rows() const { return std::int64_t{q.length} * q.heads * options.batches; }

  int longest() const { return options.longest ? options.longest : static_cast<int>(capacity()); }

  std::int64_t workgroups(Architecture architecture, int splits) const {
    return std::int64_t{blocks(architecture)} * cache.heads * options.batches * splits;
  }

  /// Of keys, of a sequence.
  int tiles(Architecture architecture) const {
    return ceil_div(longest(), paged_tiling(architecture, head).keys);
  }

  /// Of a workgroup.
  static int threads(Architecture architecture) {
    return paged_tiling(architecture, head).waves * facts(architecture).wave;
  }

  /// The most splits that the workspace is large enough for.
  int splits_that_fit(int splits) const {
    while (splits > 1 && !error_of_workspace(splits).empty()) splits--;
    return splits;
  }

  /// Of the splits' results, and of the logarithms of their sums.
  std::size_t workspace_bytes(int splits) const {
    return splits == 1 ? 0 : sizeof(float) * (head + 1) * static_cast<std::size_t>(rows()) * splits;
  }

  PagedArguments<T, Cached, head> arguments(Architecture architecture, int splits) const {
    float* const results = static_cast<float*>(options.workspace.data);
    return {q,
            {o, splits, results, splits == 1 ? nullptr : results + rows() * splits * head},
            cache,
            options.key_scales,
            options.value_scales,
            static_cast<float>(factor_of_scores(options.scale, head) * double(options.key_scale)),
            options.value_scale,
            options.band.limited(),
            {cache.heads * options.batches * splits, blocks(architecture), 1},
            Divisor(cache.heads),
            Divisor(options.batches),
            Divisor(splits),
            Divisor(group()),
            page_shift()};
  }

 private:
  static constexpr int most_places = 1 << 28;

  /// Query heads that share a head of the cache.
  int group() const { return q.heads / cache.heads; }

  /// Of queries that share a head of the cache.
  int blocks(Architecture architecture) const {
    return ceil_div(q.length * group(), paged_tiling(architecture, head).wave_queries);
  }

  std::int64_t capacity() const { return std::int64_t{cache.table.most} * cache.page_places; }

  int page_shift() const {
    int shift = 0;
    while (1 << shift < cache.page_places) shift++;
    return shift;
  }

  std::string error_of_alignment() const {
    const auto in_chunks = [](auto bytes) { return bytes % chunk_bytes == 0; };
    const auto stride = [&](const char* name, std::int64_t stride) -> std::string {
      if (in_chunks(stride * static_cast<std::int64_t>(sizeof(Cached)))) return {};
      return "paged_attention: the cache's stride of " + std::to_string(stride) + " from " + name +
             " to the next must be a multiple of " + std::to_string(chunk_size<Cached>);
    };
    for (const auto& message :
         {stride("a page", cache.page_stride), stride("a place", cache.stride),
          stride("a head", cache.head_stride)})
      if (!message.empty()) return message;
    if (!in_chunks(reinterpret_cast<std::uintptr_t>(cache.keys)) ||
        !in_chunks(reinterpret_cast<std::uintptr_t>(cache.values)))
      return "paged_attention: the cache's keys and values must be aligned to 16 bytes";
    return {};
  }
};

/// What is wrong at compile time, too, in sentences.
template <class Q, class Cached, int head, class O>
auto paged_attention_problem(const Q& q, const PagedCache<Cached, head>& cache, const O& o,
                             const PagedAttentionOptions& options) {
  using T = typename O::Element;
  static_assert(std::is_same_v<T, std::remove_const_t<typename Q::Element>>,
                "paged_attention: Q and O must have elements of the same type, O's not const");
  static_assert(std::is_same_v<T, Cached> || is_fp8<Cached>,
                "paged_attention: the cache must have elements of Q's type, or of fp8_e4m3 or "
                "fp8_e4m3_fnuz");
  static_assert(Q::size == head && O::size == head,
                "paged_attention: the heads of Q, O and the cache must have the same size");
  static_assert(sizeof(T) == 2, "paged_attention: the elements must be f16 or bf16");
  static_assert(head % 32 == 0 && head <= 256,
                "paged_attention: the size of a head must be a multiple of 32, up to 256");
  const Sequences<const T, head> constant{q.data,   q.length,      q.heads,
                                          q.stride, q.head_stride, q.batch_stride};
  return PagedProblem<T, Cached, head>{constant, o, cache, options};
}

}  // namespace hipsight::kernels
