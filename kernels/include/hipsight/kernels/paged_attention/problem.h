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

inline void check_pages(Check& check, int page_places, int pages) {
  constexpr int most_places = 1 << 28;
  if (page_places < 1 || page_places & (page_places - 1))
    check.fail("pages of ", page_places, " places: it must be a power of two");
  if (pages < 0 || product({pages, page_places}) > most_places)
    check.fail("a sequence has ", pages, " pages of ", page_places, " places: at most ",
               most_places, " places are possible");
}

/// `capacity`: the places of a sequence's pages.
inline void check_options(Check& check, const PagedAttentionOptions& options,
                          std::int64_t capacity) {
  if (options.longest < 0 || options.longest > capacity)
    check.fail("the longest sequence has ", options.longest, " places, and its pages have ",
               capacity);
  if (options.splits < 0 || options.splits > most_splits)
    check.fail(options.splits, " splits: it must be 1 to ", most_splits,
               ", or 0 for as many as are quickest");
  if (reinterpret_cast<std::uintptr_t>(options.workspace.data) % alignof(float))
    check.fail("the workspace must begin at a multiple of 4 bytes");
}

template <class Value, class Cached, int head, int value_head, class Change = PlainScores>
struct PagedProblem {
  using Workgroup = PagedWorkgroup<Value, Cached, head, value_head, Change>;
  using Combine = CombineWorkgroup<Value, value_head>;

  Sequences<const Value, head> q;
  Sequences<Value, value_head> o;
  PagedCache<Cached, head> cache;
  PagedAttentionOptions options;
  ScoreOptions of_scores{};
  [[no_unique_address]] Change change{};

  /// What no kernel takes, in a sentence, or empty.
  std::string error() const {
    Check check("paged_attention");
    if (q.length < 0 || q.heads < 0 || cache.heads < 0)
      check.fail("a size is negative: Q has ", q.length, " places of ", q.heads,
                 " heads and the cache has ", cache.heads, " heads");
    check.scale("the scale of keys", options.key_scale);
    check_change<Change>(check, of_scores);
    check.scale("the scale of values", options.value_scale);
    check_queries(check, shape_of(q), shape_of(o), cache.heads, options.batches, options.band,
                  factor(), options.scale);
    check_results(check, "O", shape_of(o), value_head, options.batches);
    if (value_head < head && options.scale == 0)
      check.fail("of latents the scale of scores must be given: 1 / sqrt(size) is that of heads");
    check_pages(check, cache.page_places, cache.table.most);
    if (product({rows(), most_splits}) > INT32_MAX)
      check.fail("there are more than 2^23 queries, of all heads and batches");
    check_options(check, options, capacity());
    if (check.failed() || empty()) return check.error();
    if (!q.data || !o.data || !cache.table.lengths ||
        (cache.table.most && !(cache.keys && cache.values && cache.table.pages)))
      check.fail("Q, O, the cache or its table is null");
    check_stride(check, "a page", cache.page_stride);
    check_stride(check, "a place", cache.stride);
    check_stride(check, "a head", cache.head_stride);
    if ((reinterpret_cast<std::uintptr_t>(cache.keys) |
         reinterpret_cast<std::uintptr_t>(cache.values)) %
        chunk_bytes)
      check.fail("the cache's keys and values must be aligned to 16 bytes");
    if (value_head < head && cache.values != cache.keys)
      check.fail("latents are keys and values: both must be the same memory");
    return check.error();
  }

  /// What only workspaces can be too small for.
  std::string error_of_workspace(int splits) const {
    Check check("paged_attention");
    const std::size_t bytes = workspace_bytes(splits),
                      given = options.workspace.data ? options.workspace.bytes : 0;
    if (splits > 1 && given < bytes)
      check.fail(splits, " splits need ", bytes, " bytes of workspace, and there are ", given);
    return check.error();
  }

  bool empty() const { return rows() == 0; }

  /// Of all heads and batches.
  std::int64_t rows() const { return product({q.length, q.heads, options.batches}); }

  int longest() const { return options.longest ? options.longest : static_cast<int>(capacity()); }

  std::int64_t workgroups(Architecture architecture, int splits) const {
    return std::int64_t{blocks(architecture)} * cache.heads * options.batches * splits;
  }

  /// Of keys, of a sequence.
  int tiles(Architecture architecture) const {
    return ceil_div(longest(), paged_tiling(architecture, head).tile.keys);
  }

  /// Of a workgroup.
  static int threads(Architecture architecture) {
    return paged_tiling(architecture, head).tile.waves * facts(architecture).wave;
  }

  /// The most splits that the workspace is large enough for.
  int splits_that_fit(int splits) const {
    while (splits > 1 && !error_of_workspace(splits).empty()) splits--;
    return splits;
  }

  /// Of the splits' results, and of the logarithms of their sums.
  std::size_t workspace_bytes(int splits) const {
    return splits == 1
               ? 0
               : sizeof(float) * (value_head + 1) * static_cast<std::size_t>(rows()) * splits;
  }

  PagedArguments<Value, Cached, head, value_head, Change> arguments(Architecture architecture,
                                                                    int splits) const {
    float* const results = static_cast<float*>(options.workspace.data);
    return {q,
            {o, splits, results, splits == 1 ? nullptr : results + rows() * splits * value_head},
            cache,
            options.key_scales,
            options.value_scales,
            static_cast<float>(factor()),
            options.value_scale,
            options.band.limited(),
            {cache.heads * options.batches * splits, blocks(architecture), 1},
            Divisor(cache.heads),
            Divisor(options.batches),
            Divisor(splits),
            Divisor(group()),
            page_shift(),
            change};
  }

 private:
  /// Query heads that share a head of the cache.
  int group() const { return q.heads / cache.heads; }

  /// Of queries that share a head of the cache.
  int blocks(Architecture architecture) const {
    return ceil_div(q.length * group(), paged_tiling(architecture, head).rows());
  }

  std::int64_t capacity() const { return std::int64_t{cache.table.most} * cache.page_places; }

  int page_shift() const {
    int shift = 0;
    while (1 << shift < cache.page_places) shift++;
    return shift;
  }

  /// From scores to powers of 2.
  double factor() const {
    return factor_of_scores(options.scale, head) * double(options.key_scale);
  }

  static void check_stride(Check& check, const char* name, std::int64_t stride) {
    if (stride % chunk_size<Cached>)
      check.fail("the cache's stride of ", stride, " from ", name,
                 " to the next must be a multiple of ", chunk_size<Cached>);
  }
};

/// What is wrong at compile time, too, in sentences. `asked`: SoftCap, Sinks, or both.
template <class OfQ, class Cached, int head, class OfO, class... Asked>
auto paged_attention_problem(const OfQ& q, const PagedCache<Cached, head>& cache, const OfO& o,
                             const PagedAttentionOptions& options, const Asked&... asked) {
  using Value = typename OfO::Element;
  static_assert(std::is_same_v<Value, std::remove_const_t<typename OfQ::Element>>,
                "paged_attention: Q and O must have elements of the same type, O's not const");
  static_assert(std::is_same_v<Value, Cached> || is_fp8<Cached>,
                "paged_attention: the cache must have elements of Q's type, or of fp8_e4m3 or "
                "fp8_e4m3_fnuz");
  constexpr bool latent = head == 576 && OfO::size == 512;
  static_assert(
      OfQ::size == head && (OfO::size == head || latent),
      "paged_attention: the heads of Q, O and the cache must have the same size, or those "
      "of Q and the cache 576 and O's 512");
  static_assert(!latent || std::is_same_v<Value, Cached>,
                "paged_attention: latents must be of Q's type");
  static_assert(sizeof(Value) == 2, "paged_attention: the elements must be f16 or bf16");
  static_assert(latent || (head % 32 == 0 && head <= 256),
                "paged_attention: the size of a head must be a multiple of 32, up to 256");
  const Sequences<const Value, head> constant{q.data,   q.length,      q.heads,
                                              q.stride, q.head_stride, q.batch_stride};
  const ScoreOptions of_scores = score_options(asked...);
  const auto change = change_of<Asked...>(
      of_scores, factor_of_scores(options.scale, head) * static_cast<double>(options.key_scale));
  return PagedProblem<Value, Cached, head, OfO::size, std::remove_const_t<decltype(change)>>{
      constant, o, cache, options, of_scores, change};
}

}  // namespace hipsight::kernels
