// Attention to a paged cache against float64, on the GPU that the program runs on and on the scalar
// reference. Pages lie in any order; what no query sees is NaN, in the cache, and no page at all,
// in the table. Memory between the results holds canaries, which must stay.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "attention_reference.h"
#include "every_instance.h"
#include "hipsight/kernels/fp8.h"
#include "managed.h"
#include "paged_case.h"

namespace {

using f16 = _Float16;
using bf16 = __bf16;
using hipsight::kernels::fp8_e4m3;
using hipsight::kernels::fp8_e4m3_fnuz;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class Cached>
constexpr CacheType cache_type = CacheType::same;
template <>
constexpr CacheType cache_type<fp8_e4m3> = CacheType::fp8_e4m3;
template <>
constexpr CacheType cache_type<fp8_e4m3_fnuz> = CacheType::fp8_e4m3_fnuz;

/// Strides that are not given are those of vectors without gaps: place by place, head by head.
PagedCase complete(PagedCase t, const std::vector<int>& lengths) {
  if (!t.value_head) t.value_head = t.head;
  if (!t.head_stride) t.head_stride = t.head;
  if (!t.stride) t.stride = t.heads * t.head_stride;
  if (!t.batch_stride) t.batch_stride = t.queries * t.stride;
  if (!t.key_head_stride) t.key_head_stride = t.head;
  if (!t.place_stride) t.place_stride = t.key_heads * t.key_head_stride;
  if (!t.page_stride)
    t.page_stride = std::max(t.page_places * t.place_stride, t.key_heads * t.key_head_stride);
  t.batches = static_cast<int>(lengths.size());
  for (const int length : lengths)
    t.most_pages = std::max(t.most_pages, (length + t.page_places - 1) / t.page_places);
  return t;
}

template <class T, class Cached = T>
struct Trial {
  PagedCase test;
  Managed<int> lengths, pages;
  Managed<T> q, o;
  Managed<Cached> keys, values;
  Managed<float> workspace;
  std::vector<double> exact_q, exact_keys, exact_values;  // once launched

  static constexpr float canary = 12288;
  static constexpr int no_page = 1 << 30;
  static constexpr int most_splits = 9;  // that the workspace is enough for

  Trial(PagedCase given, const std::vector<int>& of_lengths)
      : test(complete(given, of_lengths)),
        lengths(of_lengths.size(), 0),
        pages(of_lengths.size() * test.most_pages, no_page),
        q(test.batches * test.batch_stride, T(nan)),
        o(test.batches * test.batch_stride + 64, T(canary)),
        keys((pages.all().size() + 1) * test.page_stride, Cached(nan)),
        values((pages.all().size() + 1) * test.page_stride, Cached(nan)),
        workspace(workspace_floats() + 64, nan) {
    std::copy(of_lengths.begin(), of_lengths.end(), lengths.data());
    for (std::size_t i = 0; i < 64; i++) workspace[workspace_floats() + i] = canary;
    std::mt19937 generator(1);
    std::uniform_int_distribution<int> step(-128, 128);
    const auto value = [&] { return static_cast<float>(step(generator)) / 128; };
    std::vector<int> free(pages.all().size());
    std::iota(free.begin(), free.end(), 0);
    std::shuffle(free.begin(), free.end(), generator);
    for (int b = 0; b < test.batches; b++) {
      for (int s = 0; s < test.queries; s++)
        for (int h = 0; h < test.heads; h++)
          for (int i = 0; i < test.head; i++) q[at_q(b, h, s, i)] = T(value());
      for (int key = 0; key < lengths[b]; key++) {
        if (!seen_by_any(b, key)) continue;
        int& page = pages[b * test.most_pages + key / test.page_places];
        if (page == no_page) page = free.back(), free.pop_back();
        for (int h = 0; h < test.key_heads; h++)
          for (int i = 0; i < test.head; i++) {
            keys[at_k(b, h, key, i)] = Cached(value());
            values[at_k(b, h, key, i)] =
                test.value_head < test.head ? keys[at_k(b, h, key, i)] : Cached(value());
          }
      }
    }
    test.cached = cache_type<Cached>;
    test.pages = pages.data();
    test.lengths = lengths.data();
    test.workspace = workspace.data();
    test.workspace_bytes = workspace_floats() * sizeof(float);
  }

  std::size_t workspace_floats() const {
    return static_cast<std::size_t>(test.batches) * test.queries * test.heads * (test.head + 1) *
           most_splits;
  }
  std::size_t at_q(int b, int h, int s, int i) const {
    return b * test.batch_stride + s * test.stride + h * test.head_stride + i;
  }
  std::size_t at_k(int b, int h, int key, int i) const {
    const int page = pages[b * test.most_pages + key / test.page_places];
    return page * test.page_stride + key % test.page_places * test.place_stride +
           h * test.key_head_stride + i;
  }

  std::string launch() {
    exact_q = q.as_doubles(), exact_keys = keys.as_doubles(), exact_values = values.as_doubles();
    const auto run = std::is_same_v<T, f16> ? run_paged_f16 : run_paged_bf16;
    // Of latents, values are part of the keys.
    return run(test, q.data(), keys.data(),
               test.value_head < test.head ? keys.data() : values.data(), o.data());
  }

  /// The keys that query s sees, by the definition in band.h.
  bool sees(int b, int s, int key) const {
    const int place = s + lengths[b] - test.queries;
    return place - test.before <= key && key <= place + test.after;
  }
  bool seen_by_any(int b, int key) const {
    for (int s = 0; s < test.queries; s++)
      if (sees(b, s, key)) return true;
    return false;
  }

  double key_scale(int key_head) const {
    return double(test.key_scale) * (test.key_scales ? double(test.key_scales[key_head]) : 1);
  }
  double value_scale(int key_head) const {
    return double(test.value_scale) * (test.value_scales ? double(test.value_scales[key_head]) : 1);
  }

  /// One query's results: to the sums of the keys come those of the splits.
  void check(int b, int h, int s) const {
    constexpr int more_sums = 16;
    const int key_head = h / (test.heads / test.key_heads);
    const AttentionReference reference(
        test.head, test.value_head, lengths[b], double(test.scale),
        [&](int key) { return sees(b, s, key); }, [&](int i) { return exact_q[at_q(b, h, s, i)]; },
        [&](int key, int i) { return exact_keys[at_k(b, key_head, key, i)] * key_scale(key_head); },
        [&](int key, int i) {
          return exact_values[at_k(b, key_head, key, i)] * value_scale(key_head);
        },
        double(test.cap), test.sinks ? double(test.sinks[h]) : -double(infinity));
    const double rounding = std::is_same_v<T, f16> ? 0x1p-11 : 0x1p-8;
    for (int i = 0; i < test.value_head; i++) {
      const double want = reference.result(i), got = double(o[at_q(b, h, s, i)]);
      if (std::isfinite(want))
        ASSERT_NEAR(got, want, reference.tolerance(i, rounding, more_sums))
            << "batch " << b << " head " << h << " query " << s << " element " << i;
      else
        ASSERT_TRUE(std::isnan(got)) << got << ": query " << s << " element " << i;
    }
  }

  void check() const {
    std::vector<bool> written(o.all().size());
    for (int b = 0; b < test.batches; b++)
      for (int h = 0; h < test.heads; h++)
        for (int s = 0; s < test.queries; s++) {
          check(b, h, s);
          if (testing::Test::HasFatalFailure()) return;
          for (int i = 0; i < test.value_head; i++) written[at_q(b, h, s, i)] = true;
        }
    for (std::size_t i = 0; i < written.size(); i++)
      if (!written[i]) ASSERT_EQ(float(o[i]), canary) << "written beyond: element " << i;
    for (std::size_t i = 0; i < 64; i++)
      ASSERT_EQ(workspace[workspace_floats() + i], canary) << "beyond the workspace: " << i;
  }
};

/// Of bf16 a GPU has only the kernels for its own 8 bits.
template <class T, class Cached>
bool is_built() {
  return std::is_same_v<T, Cached> || std::is_same_v<T, f16> || has_fp8<Cached>();
}

/// On the GPU and on the scalar reference.
template <class T, class Cached = T>
void test_paged(PagedCase test, const std::vector<int>& lengths) {
  for (const bool on_host : {false, true}) {
    if (!on_host && !is_built<T, Cached>()) continue;
    test.on_host = on_host;
    SCOPED_TRACE(testing::Message()
                 << test.queries << " queries, " << test.heads << " heads of " << test.head
                 << ", pages of " << test.page_places << ", " << test.splits << " splits, "
                 << testing::PrintToString(lengths) << (on_host ? ", on the host" : ""));
    Trial<T, Cached> trial(test, lengths);
    ASSERT_EQ(trial.launch(), "");
    trial.check();
  }
}

constexpr int all = 1 << 29;

/// Nothing; one; edges of pages and of tiles.
const std::vector<int> lengths[] = {{0, 1, 15, 16, 17}, {31, 32, 33, 700}, {63, 64, 65, 129, 2}};

TEST(PagedAttention, Lengths) {
  for (const auto& some : lengths)
    for (const int page_places : {1, 16, 64})
      test_paged<f16>({.heads = 2, .key_heads = 2, .page_places = page_places}, some);
}

TEST(PagedAttention, Bf16) {
  for (const auto& some : lengths) test_paged<bf16>({.heads = 4}, some);
}

TEST(PagedAttention, SharedKeys) {
  for (const int group : {1, 4, 8, 12, 40})
    test_paged<f16>({.head = 64, .heads = 2 * group, .key_heads = 2}, {70, 33});
}

TEST(PagedAttention, AllSizesOfHeads) {
  for (const int head : numbers(EveryHeadOr<64, 128>()))
    for (const int splits : {1, 3})
      test_paged<f16>({.head = head, .heads = 8, .key_heads = 2, .splits = splits}, {1, 300, 40});
}

#ifdef HIPSIGHT_EVERY_INSTANCE
TEST(PagedAttention, EveryInstance) {
  for (const int head : numbers(AllHeads())) {
    const PagedCase test{.head = head, .heads = 8, .key_heads = 2, .splits = 2};
    test_paged<bf16>(test, {1, 300, 40});
    test_paged<f16, fp8_e4m3>(test, {1, 300, 40});
    test_paged<bf16, fp8_e4m3>(test, {1, 300, 40});
    test_paged<bf16, fp8_e4m3_fnuz>(test, {1, 300, 40});
  }
}
#endif

TEST(PagedAttention, Splits) {
  for (const int splits : {0, 1, 2, 3, 4, 5, 6, 7})
    test_paged<f16>({.heads = 8, .key_heads = 2, .splits = splits}, {0, 1, 64, 100, 517});
}

/// One latent for all heads (MLA): 16 of them, as of a part of a model, and 128.
TEST(PagedAttention, Latents) {
  const PagedCase latent{.head = 576, .value_head = 512, .scale = 0.0721688f, .page_places = 64};
  for (const int heads : {1, 16, 128})
    for (const int splits : {1, 3}) {
      PagedCase test = latent;
      test.heads = heads, test.splits = splits;
      test_paged<bf16>(test, {1, 0, 33, 150});
    }
  PagedCase few = latent;  // speculative decoding
  few.queries = 3, few.heads = 20;
  test_paged<bf16>(few, {3, 70});
}

/// One after the other, each sees the keys before it.
TEST(PagedAttention, FewQueries) {
  for (const int queries : {2, 3, 7})
    for (const int group : {1, 8})
      for (const int splits : {1, 3})
        test_paged<f16>(
            {.head = 64, .queries = queries, .heads = 2 * group, .key_heads = 2, .splits = splits},
            {queries - 1, queries, 33, 150});
}

TEST(PagedAttention, Windows) {
  for (const int before : {0, 9, 70, 200})
    for (const int queries : {1, 3})
      for (const int splits : {1, 2})
        test_paged<f16>({.head = 64,
                         .queries = queries,
                         .heads = 4,
                         .before = before,
                         .splits = splits,
                         .page_places = 16},
                        {5, 64, 300});
  test_paged<f16>({.head = 64, .queries = 4, .heads = 4, .before = all, .after = all}, {50, 3});
}

/// Past the type's own reach by scales.
TEST(PagedAttention, Fp8) {
  Managed<float> scales(2, 0.5f);
  scales[1] = 3;
  for (const auto& some : lengths) {
    test_paged<bf16, fp8_e4m3>({.heads = 8, .key_heads = 2, .splits = 2}, some);
    test_paged<bf16, fp8_e4m3_fnuz>({.heads = 8, .key_heads = 2}, some);
    test_paged<f16, fp8_e4m3>({.head = 64,
                               .heads = 8,
                               .key_heads = 2,
                               .key_scale = 2,
                               .value_scale = 1000,
                               .splits = 2,
                               .key_scales = scales.data(),
                               .value_scales = scales.data()},
                              some);
  }
}

/// Every value that 8 bits can have, as values that are each seen alone.
template <class T, class Cached>
void test_every_value(int head) {
  for (const bool on_host : {false, true}) {
    if (!on_host && !is_built<T, Cached>()) continue;
    Trial<T, Cached> trial({.head = head, .on_host = on_host, .page_places = 1},
                           std::vector<int>(256 / head * 2, 1));
    for (int b = 0; b < trial.test.batches; b++)
      for (int i = 0; i < head; i++)
        trial.values[trial.at_k(b, 0, 0, i)] =
            Cached::of_bits(static_cast<std::uint8_t>(b * head + i));
    ASSERT_EQ(trial.launch(), "");
    trial.check();
  }
}
TEST(PagedAttention, EveryValueOfFp8) {
  test_every_value<bf16, fp8_e4m3>(128);
  test_every_value<bf16, fp8_e4m3_fnuz>(128);
  test_every_value<f16, fp8_e4m3>(64);
}

/// Scores that move the shift again and again, and differ among splits.
TEST(PagedAttention, Scales) {
  for (const float scale : {1e-4f, 1.0f, 30.0f})
    for (const int splits : {1, 5})
      test_paged<f16>({.head = 64, .heads = 4, .scale = scale, .splits = splits}, {300});
}

/// Of heads that share keys, each with its own.
TEST(PagedAttention, Sinks) {
  Managed<float> sinks(8, 0);
  for (int h = 0; h < 8; h++) sinks[h] = static_cast<float>(h * 3 - 9);
  for (const auto& some : lengths)
    for (const int splits : {1, 3})
      for (const int queries : {1, 2}) {
        const PagedCase test{.head = 64,
                             .queries = queries,
                             .heads = 8,
                             .key_heads = 2,
                             .splits = splits,
                             .sinks = sinks.data()};
        test_paged<f16>(test, some);
      }
}

TEST(PagedAttention, SoftCap) {
  Managed<float> scales(2, 0.5f);
  scales[1] = 3;
  for (const auto& some : lengths)
    for (const int splits : {1, 3})
      test_paged<bf16>({.heads = 8,
                        .key_heads = 2,
                        .key_scale = 2,
                        .splits = splits,
                        .key_scales = scales.data(),
                        .cap = 3},
                       some);
}

/// Head by head; with gaps; queries that no chunk is aligned with.
TEST(PagedAttention, Strides) {
  test_paged<f16>({.head = 64,
                   .heads = 4,
                   .key_heads = 2,
                   .page_stride = 2 * 16 * 64 + 8,
                   .place_stride = 64,
                   .key_head_stride = 16 * 64},
                  {70, 33});
  for (const int splits : {1, 2})
    test_paged<f16>({.head = 64,
                     .queries = 2,
                     .heads = 4,
                     .key_heads = 2,
                     .splits = splits,
                     .stride = 4 * 69 + 3,
                     .head_stride = 69,
                     .place_stride = 2 * 72 + 8,
                     .key_head_stride = 72},
                    {70, 33});
}

/// A NaN, and what is infinite, reach the results that they belong to, and no others.
TEST(PagedAttention, NotFinite) {
  for (const bool on_host : {false, true})
    for (const int splits : {1, 2}) {
      Trial<f16> trial(
          {.head = 64, .on_host = on_host, .heads = 4, .key_heads = 2, .splits = splits},
          {40, 50, 60});
      trial.q[trial.at_q(0, 1, 0, 5)] = f16(nan);
      trial.keys[trial.at_k(1, 0, 45, 7)] = f16(nan);
      trial.keys[trial.at_k(2, 1, 9, 7)] = f16(-infinity);
      ASSERT_EQ(trial.launch(), "");
      trial.check();
    }
}

TEST(PagedAttention, Nothing) {
  test_paged<f16>({.queries = 0}, {7});
  test_paged<f16>({.heads = 0}, {7});
  test_paged<f16>({}, {});
  test_paged<f16>({.heads = 2}, {0, 0});
}

/// Few sequences that are long are split as long as the workspace reaches.
TEST(PagedAttention, ChoosesSplits) {
  Trial<f16> trial({.heads = 8}, {2000});
  const auto workspace = [&] {
    return paged_workspace_f16(trial.test, trial.q.data(), trial.keys.data(), trial.values.data(),
                               trial.o.data());
  };
  const std::size_t wanted = workspace();
  const std::size_t of_one = 8 * 129 * sizeof(float);
  EXPECT_GT(wanted, of_one);
  EXPECT_EQ(wanted % of_one, 0);
  for (const std::size_t bytes : {std::size_t{0}, of_one, 3 * of_one}) {
    trial.test.workspace_bytes = bytes;
    ASSERT_EQ(trial.launch(), "");
    trial.check();
  }
  trial.test.longest = 16;
  EXPECT_EQ(workspace(), 0);
}

/// Each kernel once, for kpi.toml, which looks on.
template <class T, class Cached = T>
void run_once(int head, int splits, float cap = 0, const float* sinks = nullptr) {
  Trial<T, Cached> trial({.head = head, .heads = 8, .splits = splits, .cap = cap, .sinks = sinks},
                         {512});
  EXPECT_EQ(trial.launch(), "");
}
TEST(PagedAttention, DISABLED_EachKernel) {
  for (const int head : {64, 128}) run_once<f16>(head, 2);
  run_once<bf16>(128, 2);
  run_once<bf16>(128, 1, 50);
  Trial<bf16> latents({.head = 576, .value_head = 512, .heads = 128, .scale = 0.1f, .splits = 2},
                      {512});
  EXPECT_EQ(latents.launch(), "");
  const Managed<float> sinks(8, 0);
  run_once<f16>(64, 1, 0, sinks.data());
  run_once<f16, fp8_e4m3>(64, 1);
  if (has_fp8<fp8_e4m3>())
    run_once<bf16, fp8_e4m3>(128, 1);
  else
    run_once<bf16, fp8_e4m3_fnuz>(128, 1);
}

TEST(PagedAttention, ErrorsNameWhatIsWrong) {
  const auto error = [](PagedCase test) {
    test.most_pages = test.most_pages ? test.most_pages : 4;
    return run_paged_f16(complete(test, {5}), nullptr, nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(error({.heads = 6, .key_heads = 4}),
            "paged_attention: 6 heads of queries cannot share 4 heads of keys");
  EXPECT_EQ(error({.queries = -1}),
            "paged_attention: a size is negative: Q has -1 places of 1 heads and the cache has 1 "
            "heads");
  EXPECT_EQ(error({.page_places = 24}),
            "paged_attention: pages of 24 places: it must be a power of two");
  EXPECT_EQ(error({.page_places = 1 << 20, .most_pages = 1 << 20}),
            "paged_attention: a sequence has 1048576 pages of 1048576 places: at most 268435456 "
            "places are possible");
  EXPECT_EQ(error({.longest = 65}),
            "paged_attention: the longest sequence has 65 places, and its pages have 64");
  EXPECT_EQ(error({.splits = 257}),
            "paged_attention: 257 splits: it must be 1 to 256, or 0 for as many as are quickest");
  EXPECT_EQ(error({.scale = -1}),
            "paged_attention: the scale of scores, -1.000000, must be positive and finite");
  EXPECT_EQ(error({.key_scale = 0}),
            "paged_attention: the scale of keys, 0.000000, must be positive and finite");
  EXPECT_EQ(error({.value_scale = infinity}),
            "paged_attention: the scale of values, inf, must be positive and finite");
  EXPECT_EQ(error({.before = -1}),
            "paged_attention: the band must reach from 0 or more keys before a query's place to 0 "
            "or more after it");
  EXPECT_EQ(error({.heads = 1 << 23}),
            "paged_attention: there are more than 2^23 queries, of all heads and batches");
  EXPECT_EQ(error({}), "paged_attention: Q, O, the cache or its table is null");
  PagedCase latents{.head = 576, .value_head = 512, .page_places = 16, .most_pages = 4};
  const auto of_latents = [&] {
    return run_paged_bf16(complete(latents, {5}), nullptr, nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(of_latents(),
            "paged_attention: of latents the scale of scores must be given: 1 / sqrt(size) is that "
            "of heads");
  latents.scale = 1;
  EXPECT_EQ(of_latents(), "paged_attention: Q, O, the cache or its table is null");
  Trial<bf16> two({.head = 576, .value_head = 512, .scale = 1}, {20});
  EXPECT_EQ(
      run_paged_bf16(two.test, two.q.data(), two.keys.data(), two.values.data(), two.o.data()),
      "paged_attention: latents are keys and values: both must be the same memory");
  Trial<f16> trial({.splits = 3}, {20});
  trial.test.workspace_bytes = 100;
  EXPECT_EQ(trial.launch(),
            "paged_attention: 3 splits need 1548 bytes of workspace, and there are 100");
  trial.test.place_stride = 132;
  EXPECT_EQ(trial.launch(),
            "paged_attention: the cache's stride of 132 from a place to the next must be a "
            "multiple of 8");
}

}  // namespace
