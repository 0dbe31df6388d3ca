// Attention against float64, on the GPU that the program runs on and on the scalar reference.
// Memory between the vectors holds NaNs, which no result may depend on, and canaries, which must
// stay.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "attention_case.h"
#include "attention_layout.h"
#include "attention_reference.h"
#include "every_instance.h"
#include "exact.h"
#include "managed.h"

namespace {

using f16 = _Float16;
using bf16 = __bf16;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

template <class T>
struct Trial : AttentionLayout {
  Managed<T> q, k, v, o;
  Managed<float> log_sums;
  bool with_log_sums = true;
  std::vector<double> exact_q, exact_k, exact_v;  // once launched

  static constexpr float canary = 12288;

  explicit Trial(AttentionCase given, unsigned range = 1)
      : AttentionLayout(given),
        q(size_of_q(), T(nan)),
        k(size_of_k(), T(nan)),
        v(size_of_k(), T(nan)),
        o(size_of_q() + 64, T(canary)),
        log_sums(test.batches * test.sum_batch_stride + test.heads * test.sum_head_stride + 64,
                 canary) {
    std::mt19937 generator(1);
    std::uniform_int_distribution<int> step(-128, 128);
    const auto value = [&] { return T(static_cast<float>(step(generator)) / 128); };
    for (int b = 0; b < test.batches; b++) {
      for (int h = 0; h < test.heads; h++)
        for (int s = 0; s < queries.count(b); s++)
          for (int i = 0; i < test.head; i++) q[at_q(b, h, s, i)] = value() * T(float(range));
      for (int h = 0; h < test.key_heads; h++)
        for (int s = 0; s < keys.count(b); s++)
          for (int i = 0; i < test.head; i++) {
            k[at_k(b, h, s, i)] = value();
            if (i < test.value_head) v[at_k(b, h, s, i)] = value();
          }
    }
  }

  std::string launch() {
    exact_q = q.as_doubles(), exact_k = k.as_doubles(), exact_v = v.as_doubles();
    const auto run = std::is_same_v<T, f16> ? run_attention_f16 : run_attention_bf16;
    return run(test, q.data(), k.data(), v.data(), o.data(),
               with_log_sums ? log_sums.data() : nullptr);
  }

  /// One query's results. Of the sum of weights, the part that f16 cuts off is known on average
  /// only.
  void check(int b, int h, int s) {
    const int key_head = h / (test.heads / test.key_heads);
    const AttentionReference reference(
        test.head, test.value_head, keys.count(b), double(test.scale),
        [&](int key) { return sees(b, s, key); }, [&](int i) { return exact_q[at_q(b, h, s, i)]; },
        [&](int key, int i) { return exact_k[at_k(b, key_head, key, i)]; },
        [&](int key, int i) { return exact_v[at_k(b, key_head, key, i)]; }, double(test.cap),
        test.sinks ? double(test.sinks[h]) : -double(infinity));
    const double rounding = std::is_same_v<T, f16> ? 0x1p-11 : 0x1p-8;
    for (int i = 0; i < test.value_head; i++) {
      const double want = reference.result(i), got = double(o[at_q(b, h, s, i)]);
      if (std::isfinite(want))
        ASSERT_NEAR(got, want, reference.tolerance(i, rounding))
            << "batch " << b << " head " << h << " query " << s << " element " << i;
      else
        ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : got == want)
            << got << ", not " << want << ": query " << s << " element " << i;
    }
    const double log_sum = reference.log_sum();
    const double got = double(log_sums[at_sum(b, h, s)]);
    if (!with_log_sums)
      ASSERT_EQ(got, canary);
    else if (std::isnan(log_sum))
      ASSERT_TRUE(std::isnan(got)) << got;
    else if (std::isinf(log_sum))
      ASSERT_EQ(got, log_sum);
    else
      ASSERT_NEAR(got, log_sum,
                  reference.log_sum_tolerance() + (std::is_same_v<T, f16> ? 0x1p-11 : 0));
  }

  void check() {
    std::vector<bool> written(o.all().size()), summed(log_sums.all().size());
    for (int b = 0; b < test.batches; b++)
      for (int h = 0; h < test.heads; h++)
        for (int s = 0; s < queries.count(b); s++) {
          check(b, h, s);
          if (testing::Test::HasFatalFailure()) return;
          for (int i = 0; i < test.value_head; i++) written[at_q(b, h, s, i)] = true;
          summed[at_sum(b, h, s)] = true;
        }
    for (std::size_t i = 0; i < written.size(); i++)
      if (!written[i]) ASSERT_EQ(float(o[i]), canary) << "written beyond: element " << i;
    for (std::size_t i = 0; i < summed.size(); i++)
      if (!summed[i]) ASSERT_EQ(log_sums[i], canary) << "a sum beyond: element " << i;
  }
};

/// On the GPU and on the scalar reference.
template <class T>
void test_attention(AttentionCase test, unsigned range = 1) {
  for (const bool on_host : {false, true}) {
    test.on_host = on_host;
    SCOPED_TRACE(testing::Message() << test.queries << " queries, " << test.keys << " keys, head "
                                    << test.head << (on_host ? ", on the host" : ""));
    Trial<T> trial(test, range);
    ASSERT_EQ(trial.launch(), "");
    trial.check();
  }
}

constexpr int all = 1 << 29;

struct Size {
  int queries, keys;
};
/// One of each; tiles of all GPUs and their neighbours; tails; queries that see no key.
constexpr Size sizes[] = {{1, 1},   {1, 64},   {1, 131},  {5, 3},     {33, 33},  {64, 64},
                          {65, 65}, {70, 130}, {130, 70}, {128, 128}, {257, 300}};

TEST(Attention, AllKeys) {
  for (const Size& s : sizes) test_attention<f16>({.queries = s.queries, .keys = s.keys});
}

TEST(Attention, Causal) {
  for (const Size& s : sizes)
    test_attention<f16>({.queries = s.queries, .keys = s.keys, .after = 0});
}

TEST(Attention, Bf16) {
  for (const Size& s : sizes)
    test_attention<bf16>({.queries = s.queries, .keys = s.keys, .after = 0});
}

TEST(Attention, AllSizesOfHeads) {
  for (const int head : {64, 96, 192, 256})
    for (const Size& s : {Size{1, 1}, Size{33, 70}, Size{140, 200}})
      for (const int after : {0, all}) {
        const AttentionCase test{
            .head = head, .queries = s.queries, .keys = s.keys, .after = after};
        test_attention<f16>(test);
        if (every_instance) test_attention<bf16>(test);
      }
}

/// As of a prompt in latent attention, where queries and keys have a rotary part.
TEST(Attention, ShorterValues) {
  const AttentionCase sizes_of{.head = 192, .value_head = 128};
  for (const Size& s : sizes)
    for (const int after : {0, all}) {
      AttentionCase test = sizes_of;
      test.queries = s.queries, test.keys = s.keys, test.after = after;
      test_attention<bf16>(test);
    }
  AttentionCase shared = sizes_of;
  shared.queries = 40, shared.keys = 70, shared.after = 0;
  shared.heads = 4, shared.key_heads = 2, shared.batches = 2;
  test_attention<bf16>(shared);
}

TEST(Attention, Windows) {
  for (const Size& s : sizes)
    for (const auto& [before, after] : {std::pair{0, 0}, {9, 0}, {70, 0}, {0, 5}, {40, 33}})
      test_attention<f16>(
          {.head = 64, .queries = s.queries, .keys = s.keys, .before = before, .after = after});
}

TEST(Attention, SharedKeys) {
  for (const int key_heads : {1, 2, 6})
    test_attention<f16>({.head = 64,
                         .queries = 40,
                         .keys = 70,
                         .heads = 6,
                         .key_heads = key_heads,
                         .batches = 2,
                         .after = 0});
}

/// Peaks that move the shift again and again, and scores that need none of it.
TEST(Attention, Scales) {
  for (const float scale : {1e-4f, 1.0f, 30.0f})
    test_attention<f16>({.head = 64, .queries = 70, .keys = 300, .scale = scale});
  test_attention<f16>({.head = 64, .queries = 70, .keys = 300, .scale = 0.3f}, 4);
  test_attention<bf16>({.queries = 70, .keys = 300, .scale = 2}, 2);
}

/// One sequence after the other, one of them empty, some without keys.
TEST(Attention, Lengths) {
  Managed<int> query_starts(6, 0), key_starts(6, 0);
  const int query_at[] = {0, 5, 5, 70, 200, 201}, key_at[] = {0, 64, 70, 70, 200, 333};
  for (int i = 0; i < 6; i++) query_starts[i] = query_at[i], key_starts[i] = key_at[i];
  for (const int after : {0, all})
    test_attention<f16>({.head = 64,
                         .queries = 130,
                         .keys = 133,
                         .heads = 4,
                         .key_heads = 2,
                         .batches = 5,
                         .after = after,
                         .query_starts = query_starts.data(),
                         .key_starts = key_starts.data()});
}

/// Gaps that keep chunks aligned and that do not, and memory head by head.
TEST(Attention, Strides) {
  for (const int more : {8, 3})
    test_attention<f16>({.head = 64,
                         .queries = 70,
                         .keys = 90,
                         .heads = 2,
                         .key_heads = 2,
                         .batches = 2,
                         .after = 0,
                         .stride = 128 + more,
                         .key_stride = 128 + more});
  test_attention<f16>({.head = 64,
                       .queries = 33,
                       .keys = 40,
                       .heads = 2,
                       .key_heads = 2,
                       .stride = 64,
                       .head_stride = 33 * 64,
                       .key_stride = 64,
                       .key_head_stride = 40 * 64});
}

TEST(Attention, WithoutLogSums) {
  for (const bool on_host : {false, true}) {
    Trial<f16> trial({.head = 64, .on_host = on_host, .queries = 20, .keys = 30});
    trial.with_log_sums = false;
    ASSERT_EQ(trial.launch(), "");
    trial.check();
  }
}

/// Far below all scores, among them, far above; also of queries that see no key.
TEST(Attention, Sinks) {
  Managed<float> sinks(4, 0);
  sinks[0] = -30, sinks[1] = 0.5f, sinks[2] = 4, sinks[3] = 60;
  for (const Size& s : sizes) {
    const AttentionCase test{.head = 64,
                             .queries = s.queries,
                             .keys = s.keys,
                             .heads = 4,
                             .key_heads = 2,
                             .after = 0,
                             .sinks = sinks.data()};
    test_attention<f16>(test);
  }
  test_attention<f16>({.head = 64, .queries = 70, .keys = 300, .scale = 30, .sinks = sinks.data()});
  sinks[0] = -infinity;  // none
  test_attention<f16>({.head = 64, .queries = 70, .keys = 30, .after = 0, .sinks = sinks.data()});
}

TEST(Attention, SoftCap) {
  Managed<float> sinks(1, 2);
  for (const Size& s : sizes)
    for (const float cap : {0.5f, 50.0f})
      test_attention<bf16>({.queries = s.queries, .keys = s.keys, .after = 0, .cap = cap});
  test_attention<bf16>({.queries = 70, .keys = 300, .scale = 3, .cap = 20}, 4);
  test_attention<bf16>({.queries = 70, .keys = 300, .cap = 5, .sinks = sinks.data()});
}

/// Queries without keys give zeros; without queries nothing happens.
TEST(Attention, Nothing) {
  test_attention<f16>({.head = 64, .queries = 20, .keys = 0});
  test_attention<f16>({.head = 64, .queries = 0, .keys = 7});
  test_attention<f16>({.head = 64, .queries = 3, .keys = 7, .heads = 0});
  test_attention<f16>({.head = 64, .queries = 3, .keys = 7, .batches = 0});
}

/// Infinities and NaNs of queries and keys reach the results that they belong to, and no others.
template <class T>
void test_not_finite(int head) {
  for (const bool on_host : {false, true}) {
    Trial<T> trial(
        {.head = head, .on_host = on_host, .queries = 80, .keys = 80, .heads = 2, .after = 0});
    trial.q[trial.at_q(0, 0, 3, 5)] = T(nan);
    trial.q[trial.at_q(0, 1, 9, 0)] = T(infinity);
    trial.k[trial.at_k(0, 0, 60, 7)] = T(nan);
    trial.k[trial.at_k(0, 0, 50, 8)] = T(-infinity);
    ASSERT_EQ(trial.launch(), "");
    trial.check();
    EXPECT_TRUE(std::isnan(float(trial.o[trial.at_q(0, 0, 3, 0)])));
  }
}

TEST(Attention, NotFinite) {
  test_not_finite<f16>(64);
  test_not_finite<bf16>(128);
}

/// A query with one key has its value; but of CDNA2 none below the normal range.
template <class T>
void test_denormals(int head, float denormal) {
  for (const bool on_host : {false, true}) {
    Trial<T> trial({.head = head, .on_host = on_host, .queries = 1, .keys = 1});
    for (T& value : trial.v.all()) value = T(denormal);
    ASSERT_EQ(trial.launch(), "");
    const bool kept = on_host || !takes_denormals_as_zeros();
    for (int i = 0; i < head; i++) EXPECT_EQ(float(trial.o[i]), kept ? denormal : 0);
  }
}

TEST(Attention, Denormals) {
  test_denormals<f16>(64, 3 * 0x1p-24f);
  test_denormals<bf16>(128, 3 * 0x1p-133f);
}

/// Those of a value reach the queries that see it, and may reach others of its sequence, but no
/// other sequence and no other head of keys.
template <class T>
void test_values_not_finite(int head) {
  for (const bool on_host : {false, true})
    for (const float value : {nan, infinity}) {
      Trial<T> trial({.head = head,
                      .on_host = on_host,
                      .queries = 40,
                      .keys = 80,
                      .heads = 2,
                      .key_heads = 2,
                      .batches = 2,
                      .after = 0});
      trial.v[trial.at_k(1, 0, 60, 7)] = T(value);
      ASSERT_EQ(trial.launch(), "");
      for (int s = 0; s < trial.test.queries; s++) {
        for (const auto& [batch, h] : {std::pair{0, 0}, {0, 1}, {1, 1}}) trial.check(batch, h, s);
        if (trial.sees(1, s, 60)) trial.check(1, 0, s);
        if (testing::Test::HasFatalFailure()) return;
      }
      EXPECT_FALSE(std::isfinite(float(trial.o[trial.at_q(1, 0, 39, 7)])));
      EXPECT_TRUE(std::isfinite(float(trial.o[trial.at_q(1, 0, 39, 6)])));
    }
}

TEST(Attention, ValuesNotFinite) {
  test_values_not_finite<f16>(64);
  test_values_not_finite<bf16>(128);
}

/// Each kernel once, for kpi.toml, which looks on.
TEST(Attention, DISABLED_EachKernel) {
  for (const int head : {64, 96, 128, 192, 256}) {
    Trial<f16> trial({.head = head, .queries = 512, .keys = 512, .after = 0});
    EXPECT_EQ(trial.launch(), "");
  }
  Trial<bf16> shorter({.head = 192, .value_head = 128, .queries = 512, .keys = 512, .after = 0});
  EXPECT_EQ(shorter.launch(), "");
  Managed<float> sinks(1, 0);
  for (const float cap : {0, 50}) {
    Trial<bf16> trial({.queries = 512, .keys = 512, .after = 0, .cap = cap});
    EXPECT_EQ(trial.launch(), "");
  }
  Trial<f16> trial({.head = 64, .queries = 512, .keys = 512, .after = 0, .sinks = sinks.data()});
  EXPECT_EQ(trial.launch(), "");
  Trial<bf16> both({.queries = 512, .keys = 512, .after = 0, .cap = 50, .sinks = sinks.data()});
  EXPECT_EQ(both.launch(), "");
}

/// Of one place no stride is asked for: it may be less than a head.
TEST(Attention, OnePlaceHasAnyStride) {
  test_attention<f16>({.queries = 1,
                       .keys = 1,
                       .heads = 2,
                       .key_heads = 2,
                       .batches = 2,
                       .stride = 1,
                       .batch_stride = 300,
                       .key_stride = 1,
                       .key_batch_stride = 300});
}

TEST(Attention, ErrorsNameWhatIsWrong) {
  const auto error = [](AttentionCase test) {
    float sums = 0;
    return run_attention_f16(complete(test), nullptr, nullptr, nullptr, nullptr, &sums);
  };
  EXPECT_EQ(error({.queries = 4, .keys = 5, .heads = 6, .key_heads = 4}),
            "attention: 6 heads of queries cannot share 4 heads of keys");
  EXPECT_EQ(error({.queries = -4, .keys = 5}),
            "attention: a size is negative: Q has -4 places of 1 heads and K has 5 places of 1 "
            "heads");
  EXPECT_EQ(error({.queries = 4, .keys = 5, .stride = 100}),
            "attention: Q's stride of 100 is less than 128, the size of a head");
  EXPECT_EQ(error({.queries = 4, .keys = 5, .key_stride = 1 << 30}),
            "attention: K's stride of 1073741824 is more than 4194303, the largest that kernels "
            "take");
  EXPECT_EQ(error({.queries = 4, .keys = 5, .batches = -1}), "attention: there are -1 batches");
  EXPECT_EQ(error({.queries = 1 << 28, .keys = 5, .batches = 8}),
            "attention: there are more than 2^31 queries, of all heads and batches");
  EXPECT_EQ(error({.queries = 4, .keys = 5, .scale = -1}),
            "attention: the scale of scores, -1.000000, must be positive and finite");
  EXPECT_EQ(error({.queries = 4, .keys = 5, .before = -1}),
            "attention: the band must reach from 0 or more keys before a query's place to 0 or "
            "more after it");
  EXPECT_EQ(error({.queries = 4, .keys = 5, .scale = infinity}),
            "attention: the scale of scores, inf, must be positive and finite");
  EXPECT_EQ(error({.queries = 4, .keys = 5, .sum_length = 2}),
            "attention: Q has 4 places of 1 heads and log_sums has 2 places of 1 heads: they must "
            "be the same");
  EXPECT_EQ(error({.queries = 4, .keys = 5, .heads = 2, .key_heads = 2, .sum_heads = 1}),
            "attention: Q has 4 places of 2 heads and log_sums has 4 places of 1 heads: they must "
            "be the same");
  EXPECT_EQ(error({.queries = 4, .keys = 5, .sum_stride = 0}),
            "attention: log_sums's stride of 0 is less than 1, the size of a head");
  EXPECT_EQ(error({.queries = 4, .keys = 5}), "attention: Q, K, V or O is null");
  EXPECT_EQ(run_attention_bf16(complete({.queries = 4, .keys = 5, .cap = -1}), nullptr, nullptr,
                               nullptr, nullptr, nullptr),
            "attention: the cap, -1.000000, must be positive and finite");
}

}  // namespace
