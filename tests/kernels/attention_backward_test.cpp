// The gradients of attention against float64, on the GPU that the program runs on and on the scalar
// reference. Memory between the vectors holds NaNs, which no result may depend on, and canaries,
// which must stay.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "attention_backward_case.h"
#include "attention_backward_reference.h"
#include "attention_layout.h"
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
  Managed<T> q, k, v, o, d_o, d_q, d_k, d_v;
  Managed<float> log_sums, workspace;
  std::vector<AttentionGradientsReference> of_head;  // of each batch and head of queries

  static constexpr float canary = 12288;
  static constexpr bool is_f16 = std::is_same_v<T, f16>;

  explicit Trial(const AttentionCase& given, float range = 1)
      : AttentionLayout(given),
        q(size_of_q(), T(nan)),
        k(size_of_k(), T(nan)),
        v(size_of_k(), T(nan)),
        o(size_of_q(), T(nan)),
        d_o(size_of_q(), T(nan)),
        d_q(size_of_q() + 64, T(canary)),
        d_k(size_of_k() + 64, T(canary)),
        d_v(size_of_k() + 64, T(canary)),
        log_sums(test.batches * test.sum_batch_stride + test.heads * test.sum_head_stride, nan),
        workspace(workspace_of_attention_backward(test) / sizeof(float) + 64, canary) {
    std::mt19937 generator(1);
    std::uniform_int_distribution<int> step(-128, 128);
    const auto value = [&] { return static_cast<float>(step(generator)) / 128; };
    for_queries([&](int b, int h, int s, int i) {
      q[at_q(b, h, s, i)] = T(value() * range);
      d_o[at_q(b, h, s, i)] = T(value());
    });
    for_keys([&](int b, int h, int s, int i) {
      k[at_k(b, h, s, i)] = T(value());
      v[at_k(b, h, s, i)] = T(value());
    });
    find_reference();
  }

  template <class F>
  void for_queries(F f) const {
    for_all(queries, test.heads, f);
  }
  template <class F>
  void for_keys(F f) const {
    for_all(keys, test.key_heads, f);
  }
  template <class F>
  void for_all(const Places& places, int heads, F f) const {
    for (int b = 0; b < test.batches; b++)
      for (int h = 0; h < heads; h++)
        for (int s = 0; s < places.count(b); s++)
          for (int i = 0; i < test.head; i++) f(b, h, s, i);
  }

  int key_head(int h) const { return h / (test.heads / test.key_heads); }

  /// Also what attention() would have given: O, rounded, and the logarithms of the sums.
  void find_reference() {
    of_head.clear();
    const double least = !is_f16                                       ? 0
                         : takes_denormals_as_zeros() && !test.on_host ? 0x1p-14
                                                                       : 0x1p-24;
    for (int b = 0; b < test.batches; b++)
      for (int h = 0; h < test.heads; h++) {
        of_head.emplace_back(
            test.head, queries.count(b), keys.count(b), double(test.scale),
            AttentionGradientsReference::Rounding{is_f16 ? 0x1p-11 : 0x1p-8, least},
            [&](int s, int key) { return sees(b, s, key); },
            [&](int s, int i) { return double(q[at_q(b, h, s, i)]); },
            [&](int s, int i) { return double(k[at_k(b, key_head(h), s, i)]); },
            [&](int s, int i) { return double(v[at_k(b, key_head(h), s, i)]); },
            [&](int s, int i) { return double(d_o[at_q(b, h, s, i)]); });
        for (int s = 0; s < queries.count(b); s++) {
          log_sums[at_sum(b, h, s)] = static_cast<float>(reference(b, h).sums[s]);
          for (int i = 0; i < test.head; i++)
            o[at_q(b, h, s, i)] = T(static_cast<float>(reference(b, h).o[s * test.head + i]));
        }
      }
  }
  const AttentionGradientsReference& reference(int b, int h) const {
    return of_head[b * test.heads + h];
  }

  std::string launch() {
    const auto run = is_f16 ? run_attention_backward_f16 : run_attention_backward_bf16;
    return run(test, {q.data(), k.data(), v.data(), o.data(), d_o.data(), d_q.data(), d_k.data(),
                      d_v.data(), log_sums.data(), workspace.data(),
                      workspace_of_attention_backward(test)});
  }

  static void check_element(const char* name, float got, const Bounded& want, int s, int i) {
    const double rounding = is_f16 ? 0x1p-11 : 0x1p-8;
    const double least = is_f16 ? 0x1p-24 : 0;
    if (std::isfinite(want.value))
      ASSERT_NEAR(double(got), want.value,
                  want.tolerance + rounding * std::fabs(want.value) + least)
          << name << ", place " << s << ", element " << i;
    else
      ASSERT_FALSE(std::isfinite(got)) << name << ", place " << s << ", element " << i;
  }
  void check_query(int b, int h, int s, int i) const {
    check_element("dQ", float(d_q[at_q(b, h, s, i)]), reference(b, h).d_q[s * test.head + i], s, i);
  }
  /// Of all heads of queries that share it.
  void check_key(int b, int h, int s, int i) const {
    Bounded of_k, of_v;
    for (int other = 0; other < test.heads; other++) {
      if (key_head(other) != h) continue;
      const auto& one = reference(b, other);
      const int at = s * test.head + i;
      of_k.value += one.d_k[at].value, of_k.tolerance += one.d_k[at].tolerance;
      of_v.value += one.d_v[at].value, of_v.tolerance += one.d_v[at].tolerance;
    }
    check_element("dK", float(d_k[at_k(b, h, s, i)]), of_k, s, i);
    check_element("dV", float(d_v[at_k(b, h, s, i)]), of_v, s, i);
  }

  void check() const {
    std::vector<bool> of_queries(d_q.all().size()), of_keys(d_k.all().size());
    for_queries([&](int b, int h, int s, int i) {
      if (!testing::Test::HasFatalFailure()) check_query(b, h, s, i);
      of_queries[at_q(b, h, s, i)] = true;
    });
    for_keys([&](int b, int h, int s, int i) {
      if (!testing::Test::HasFatalFailure()) check_key(b, h, s, i);
      of_keys[at_k(b, h, s, i)] = true;
    });
    if (testing::Test::HasFatalFailure()) return;
    for (std::size_t i = 0; i < of_queries.size(); i++)
      if (!of_queries[i]) ASSERT_EQ(float(d_q[i]), canary) << "dQ beyond: element " << i;
    for (std::size_t i = 0; i < of_keys.size(); i++)
      if (!of_keys[i]) {
        ASSERT_EQ(float(d_k[i]), canary) << "dK beyond: element " << i;
        ASSERT_EQ(float(d_v[i]), canary) << "dV beyond: element " << i;
      }
    const auto behind = workspace.all().last(64);
    for (const float word : behind) ASSERT_EQ(word, canary) << "written beyond the workspace";
  }
};

/// On the GPU and on the scalar reference.
template <class T>
void test_backward(AttentionCase test, float range = 1) {
  for (const bool on_host : {false, true}) {
    test.on_host = on_host;
    SCOPED_TRACE(testing::Message() << test.queries << " queries, " << test.keys << " keys, head "
                                    << test.head << ", before " << test.before << ", after "
                                    << test.after << (on_host ? ", on the host" : ""));
    Trial<T> trial(test, range);
    ASSERT_EQ(trial.launch(), "");
    trial.check();
  }
}

constexpr int all = 1 << 29;

struct Size {
  int queries, keys;
};
/// One of each; tiles of all GPUs and their neighbours; tails; queries that see no key, and keys
/// that no query sees.
constexpr Size sizes[] = {{1, 1},   {1, 64},   {1, 131},  {5, 3},     {33, 33},  {64, 64},
                          {65, 65}, {70, 130}, {130, 70}, {128, 128}, {150, 157}};

TEST(AttentionBackward, AllKeys) {
  for (const Size& s : sizes)
    test_backward<f16>({.head = 64, .queries = s.queries, .keys = s.keys});
}

TEST(AttentionBackward, Causal) {
  for (const Size& s : sizes)
    test_backward<f16>({.head = 64, .queries = s.queries, .keys = s.keys, .after = 0});
}

TEST(AttentionBackward, Bf16) {
  for (const Size& s : sizes)
    for (const int after : {0, all})
      test_backward<bf16>({.queries = s.queries, .keys = s.keys, .after = after});
}

TEST(AttentionBackward, AllSizesOfHeads) {
  for (const int head : every_instance ? std::vector{32, 64, 96, 128} : std::vector{64})
    for (const Size& s : {Size{1, 1}, Size{33, 70}, Size{140, 100}})
      for (const int after : {0, all}) {
        const AttentionCase test{
            .head = head, .queries = s.queries, .keys = s.keys, .after = after};
        test_backward<f16>(test);
        if (every_instance) test_backward<bf16>(test);
      }
}

TEST(AttentionBackward, Windows) {
  for (const Size& s : {Size{65, 65}, Size{70, 130}, Size{130, 70}})
    for (const auto& [before, after] : {std::pair{0, 0}, {9, 0}, {70, 0}, {0, 5}, {40, 33}})
      test_backward<f16>(
          {.head = 64, .queries = s.queries, .keys = s.keys, .before = before, .after = after});
}

TEST(AttentionBackward, SharedKeys) {
  for (const int key_heads : {1, 2, 6})
    for (const int after : {0, all})
      test_backward<f16>({.head = 64,
                          .queries = 40,
                          .keys = 70,
                          .heads = 6,
                          .key_heads = key_heads,
                          .batches = 2,
                          .after = after});
}

TEST(AttentionBackward, Scales) {
  for (const float scale : {1e-4f, 1.0f, 8.0f})
    test_backward<f16>({.head = 64, .queries = 70, .keys = 100, .scale = scale});
  test_backward<bf16>({.queries = 70, .keys = 100, .scale = 0.3f}, 4);
}

/// One sequence after the other, one of them empty, some without keys.
TEST(AttentionBackward, Lengths) {
  Managed<int> query_starts(6, 0), key_starts(6, 0);
  const int query_at[] = {0, 5, 5, 70, 140, 141}, key_at[] = {0, 64, 70, 70, 140, 233};
  for (int i = 0; i < 6; i++) query_starts[i] = query_at[i], key_starts[i] = key_at[i];
  for (const int after : {0, all})
    test_backward<f16>({.head = 64,
                        .queries = 70,
                        .keys = 93,
                        .heads = 4,
                        .key_heads = 2,
                        .batches = 5,
                        .after = after,
                        .query_starts = query_starts.data(),
                        .key_starts = key_starts.data()});
}

/// Gaps that keep chunks aligned and that do not, and memory head by head.
TEST(AttentionBackward, Strides) {
  for (const int more : {8, 3})
    test_backward<f16>({.head = 64,
                        .queries = 70,
                        .keys = 90,
                        .heads = 2,
                        .key_heads = 2,
                        .batches = 2,
                        .after = 0,
                        .stride = 128 + more,
                        .key_stride = 128 + more});
  test_backward<f16>({.head = 64,
                      .queries = 33,
                      .keys = 40,
                      .heads = 2,
                      .key_heads = 2,
                      .stride = 64,
                      .head_stride = 33 * 64,
                      .key_stride = 64,
                      .key_head_stride = 40 * 64});
}

/// Where there is nothing on the other side, gradients are zeros; without a side, it has none.
TEST(AttentionBackward, Nothing) {
  test_backward<f16>({.head = 64, .queries = 20, .keys = 0});
  test_backward<f16>({.head = 64, .queries = 0, .keys = 7});
  test_backward<f16>({.head = 64, .queries = 3, .keys = 7, .heads = 0});
  test_backward<f16>({.head = 64, .queries = 3, .keys = 7, .batches = 0});
}

/// A NaN of a gradient reaches what depends on it, and no other sequence or head of keys.
TEST(AttentionBackward, NotFinite) {
  for (const bool on_host : {false, true})
    for (const float value : {nan, infinity}) {
      Trial<f16> trial({.head = 64,
                        .on_host = on_host,
                        .queries = 40,
                        .keys = 80,
                        .heads = 2,
                        .key_heads = 2,
                        .batches = 2,
                        .after = 0});
      trial.d_o[trial.at_q(1, 0, 7, 9)] = f16(value);
      ASSERT_EQ(trial.launch(), "");
      for (int s = 0; s < 40; s++)
        for (int i = 0; i < 64; i++) {
          for (const auto& [b, h] : {std::pair{0, 0}, {0, 1}, {1, 1}}) {
            trial.check_query(b, h, s, i);
            trial.check_key(b, h, s, i);
          }
          if (s != 7) trial.check_query(1, 0, s, i);
          if (testing::Test::HasFatalFailure()) return;
        }
      EXPECT_FALSE(std::isfinite(float(trial.d_q[trial.at_q(1, 0, 7, 0)])));
      EXPECT_FALSE(std::isfinite(float(trial.d_v[trial.at_k(1, 0, 47, 9)])));
      EXPECT_FALSE(std::isfinite(float(trial.d_k[trial.at_k(1, 0, 47, 0)])));
    }
}

/// Twice the same bits, also where many workgroups and heads add to a key.
TEST(AttentionBackward, IsTheSameEachTime) {
  Trial<bf16> one({.queries = 150, .keys = 140, .heads = 4, .key_heads = 1, .batches = 2});
  Trial<bf16> two(one.test);
  ASSERT_EQ(one.launch(), "");
  ASSERT_EQ(two.launch(), "");
  const auto same = [](const auto& a, const auto& b) {
    return std::memcmp(a.data(), b.data(), a.all().size_bytes()) == 0;
  };
  EXPECT_TRUE(same(one.d_q, two.d_q));
  EXPECT_TRUE(same(one.d_k, two.d_k));
  EXPECT_TRUE(same(one.d_v, two.d_v));
}

/// Each kernel once, for kpi.toml, which looks on.
TEST(AttentionBackward, DISABLED_EachKernel) {
  EXPECT_EQ(Trial<f16>({.head = 64, .queries = 256, .keys = 256, .after = 0}).launch(), "");
  EXPECT_EQ(Trial<bf16>({.queries = 256, .keys = 256, .after = 0}).launch(), "");
}

}  // namespace
