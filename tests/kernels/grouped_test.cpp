// Grouped GEMMs against float64, on the GPU that the program runs on and on the scalar reference.
// Memory between rows, rows that no group has and the matrices of empty groups hold NaNs, which no
// result may depend on; results between rows and of no group are canaries, which must stay.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "every_instance.h"
#include "grouped_case.h"
#include "managed.h"

namespace {

using f16 = _Float16;
using bf16 = __bf16;

/// What the operands are, and what comes after the product.
template <class T_, class Out_, bool experts_transposed_, auto run_>
struct Kind {
  using T = T_;
  using Out = Out_;
  static constexpr bool experts_transposed = experts_transposed_;
  static constexpr auto run = run_;
};
using Bf16 = Kind<bf16, bf16, true, run_grouped_bf16>;  // times a factor of the row, if indexed
using F16 = Kind<f16, float, false, run_grouped_f16>;   // plus a bias of the group
using F32 = Kind<float, float, true, run_grouped_f32>;  // as the first

enum class Index { none, of_a, of_both };

/// Sizes of groups, of which the first begins `before` rows after the first row and the last ends
/// `after` rows before the last one.
struct Shape {
  std::vector<int> sizes;
  int columns, depth;
  int before = 0, after = 0;
  int more_stride = 0;
};

template <class K>
struct Trial {
  using T = typename K::T;
  using Out = typename K::Out;

  GroupedCase test;
  Managed<int> starts, index_a, index_c;
  Managed<T> a, b;
  Managed<float> beside;
  Managed<Out> c;
  bool indexed_a, indexed_c;

  static constexpr float canary = 96;

  static int rows_of(const Shape& s) {
    return s.before + std::accumulate(s.sizes.begin(), s.sizes.end(), 0) + s.after;
  }
  /// As many tokens as a third of the rows, and some that nobody asks for.
  static GroupedCase complete(const Shape& s, Index index) {
    GroupedCase t;
    t.rows = rows_of(s), t.columns = s.columns, t.depth = s.depth;
    t.groups = static_cast<int>(s.sizes.size());
    t.rows_a = index == Index::none ? t.rows : t.rows / 3 + 5;
    t.rows_c = index == Index::of_both ? t.rows + 7 : t.rows;
    t.a_stride = s.depth + s.more_stride, t.c_stride = s.columns + s.more_stride;
    t.b_stride = (K::experts_transposed ? s.depth : s.columns) + s.more_stride;
    t.b_batch = (K::experts_transposed ? s.columns : s.depth) * t.b_stride;
    return t;
  }

  Trial(const Shape& s, Index index, GroupedTiles tiles, bool on_host)
      : test(complete(s, index)),
        starts(test.groups + 1, s.before),
        index_a(test.rows, 0),
        index_c(test.rows, 0),
        a(test.rows_a * test.a_stride, T(std::numeric_limits<float>::quiet_NaN())),
        b(test.groups * test.b_batch, T(std::numeric_limits<float>::quiet_NaN())),
        beside(std::max(test.rows, test.groups * test.columns), 0),
        c(test.rows_c * test.c_stride + 64, static_cast<Out>(canary)),
        indexed_a(index != Index::none),
        indexed_c(index == Index::of_both) {
    test.tiles = tiles, test.on_host = on_host;
    for (int g = 0; g < test.groups; g++) starts[g + 1] = starts[g] + s.sizes[g];
    test.starts = starts.data();
    std::mt19937 generator(1);
    for (int r = 0; r < test.rows; r++) {
      index_a[r] = indexed_a ? static_cast<int>(generator() % test.rows_a) : r;
      index_c[r] = r + (indexed_c ? 7 : 0);
    }
    if (indexed_c) std::shuffle(index_c.all().begin(), index_c.all().end(), generator);
    if (indexed_a) test.index_a = index_a.data();
    if (indexed_c) test.index_c = index_c.data();

    std::uniform_int_distribution<int> step(-128, 128);
    const auto value = [&] { return static_cast<float>(step(generator)) / 128; };
    for_rows([&](int, int r) {
      for (int k = 0; k < test.depth; k++) a[at_a(r, k)] = T(value());
    });
    for (int g = 0; g < test.groups; g++)
      for (int k = 0; s.sizes[g] && k < test.depth; k++)
        for (int j = 0; j < test.columns; j++) b[at_b(g, k, j)] = T(value());
    for (float& x : beside.all()) x = value();
  }

  /// f(group, row) of all rows that a group has.
  template <class F>
  void for_rows(F f) const {
    for (int g = 0; g < test.groups; g++)
      for (int r = starts[g]; r < starts[g + 1]; r++) f(g, r);
  }
  std::size_t at_a(int r, int k) const { return index_a[r] * test.a_stride + k; }
  std::size_t at_b(int g, int k, int j) const {
    return g * test.b_batch +
           (K::experts_transposed ? j * test.b_stride + k : k * test.b_stride + j);
  }
  std::size_t at_c(int r, int j) const { return index_c[r] * test.c_stride + j; }

  std::string launch() {
    const bool none = std::is_same_v<T, bf16> && !indexed_a;
    return K::run(test, a.data(), b.data(), none ? nullptr : beside.data(), c.data());
  }

  /// Each product and sum may be off by 2^-23 of the sum of magnitudes, the result by its type's
  /// rounding.
  void check_element(int g, int r, int j) const {
    const bool reads = index_a[r] >= 0;
    double sum = 0, magnitude = 0;
    for (int k = 0; reads && k < test.depth; k++) {
      const double product = double(a[at_a(r, k)]) * double(b[at_b(g, k, j)]);
      sum += product, magnitude += std::fabs(product);
    }
    double factor = 1, bias = 0;
    if (std::is_same_v<T, f16>)
      bias = double(beside[g * test.columns + j]);
    else if (indexed_a)
      factor = double(beside[r]);
    const double want = sum * factor + bias;
    constexpr double rounding = sizeof(Out) == 2 ? 0x1p-8 : 0x1p-24;
    ASSERT_NEAR(double(c[at_c(r, j)]), want,
                (test.depth + 4) * 0x1.4p-23 * (magnitude + 1) + rounding * std::fabs(want))
        << "group " << g << " row " << r << " column " << j;
  }

  void check() const {
    std::vector<bool> written(c.all().size());
    for_rows([&](int g, int r) {
      if (index_c[r] < 0) return;
      for (int j = 0; j < test.columns; j++) {
        if (!testing::Test::HasFatalFailure()) check_element(g, r, j);
        written[at_c(r, j)] = true;
      }
    });
    if (testing::Test::HasFatalFailure()) return;
    for (std::size_t i = 0; i < written.size(); i++)
      if (!written[i]) ASSERT_EQ(double(c[i]), double(canary)) << "written beyond: element " << i;
  }
};

template <class K>
void test_grouped(const Shape& s, Index index, GroupedTiles tiles = GroupedTiles::large) {
  for (const bool on_host : {false, true}) {
    if (on_host && tiles != GroupedTiles::large && tiles != GroupedTiles::small) continue;
    SCOPED_TRACE(testing::Message()
                 << s.sizes.size() << " groups, " << Trial<K>::rows_of(s) << " rows, " << s.columns
                 << " x " << s.depth << ", index " << int(index) << ", tiles " << int(tiles)
                 << (on_host ? ", on the host" : ""));
    Trial<K> trial(s, index, tiles, on_host);
    ASSERT_EQ(trial.launch(), "");
    trial.check();
  }
}

/// 150 groups, more than a wave has lanes, most of them empty or of one row.
std::vector<int> many_groups() {
  std::vector<int> sizes(150, 0);
  for (int g = 0; g < 150; g++) sizes[g] = g % 5 == 0 ? 1 : g % 31 == 0 ? 9 : 0;
  return sizes;
}

/// One row; empty groups everywhere; tiles of every GPU and their neighbours; tails of columns and
/// depth; rows of no group.
const Shape shapes[] = {
    {{1}, 1, 1},
    {{0, 1, 0}, 130, 64},
    {{0, 0, 3, 0, 0, 70, 0}, 5, 7},
    {{64, 63, 65}, 64, 64},
    {.sizes = {33, 0, 31, 2}, .columns = 72, .depth = 129, .before = 5, .after = 9},
    {{300, 1, 20}, 136, 40},
    {.sizes = {16, 16, 16, 16}, .columns = 264, .depth = 200, .before = 1},
    {{20, 90}, 65, 520},
    {many_groups(), 40, 72}};

TEST(GroupedGemm, RowsInOrder) {
  for (const Shape& s : shapes) test_grouped<Bf16>(s, Index::none);
}

TEST(GroupedGemm, RowsByIndex) {
  for (const Shape& s : shapes)
    for (const auto tiles : {GroupedTiles::large, GroupedTiles::medium, GroupedTiles::small}) {
      test_grouped<Bf16>(s, Index::of_both, tiles);
      if (every_instance) test_grouped<F32>(s, Index::of_both, tiles);
    }
}

TEST(GroupedGemm, F16WithABiasOfTheGroup) {
  for (const Shape& s : shapes) test_grouped<F16>(s, Index::of_a, GroupedTiles::small);
}

/// Strides that keep chunks aligned and that do not.
TEST(GroupedGemm, Strides) {
  for (const int more : {8, 3}) {
    const Shape s{
        .sizes = {33, 0, 70}, .columns = 72, .depth = 136, .before = 2, .more_stride = more};
    test_grouped<Bf16>(s, Index::none);
    test_grouped<Bf16>(s, Index::of_both);
    test_grouped<F16>(s, Index::of_a, GroupedTiles::small);
  }
}

/// As users call it.
TEST(GroupedGemm, Called) {
  for (const Shape& s : {Shape{{3, 0, 1, 4}, 200, 300}, Shape{{600, 700}, 520, 40}})
    test_grouped<Bf16>(s, Index::of_both, GroupedTiles::chosen);
}

/// Without rows, columns or groups nothing happens; without depth, epilogues get zeros; groups may
/// all be empty.
TEST(GroupedGemm, Nothing) {
  test_grouped<Bf16>({{}, 5, 7}, Index::none);
  test_grouped<Bf16>({{0, 0}, 5, 7}, Index::none);
  test_grouped<Bf16>({{3, 4}, 0, 7}, Index::none);
  test_grouped<Bf16>({.sizes = {0, 0}, .columns = 5, .depth = 7, .before = 30, .after = 2},
                     Index::of_both);
  test_grouped<Bf16>({.sizes = {}, .columns = 5, .depth = 7, .before = 30}, Index::of_both);
  test_grouped<F16>({{3, 4}, 5, 0}, Index::of_a, GroupedTiles::small);
}

/// Rows that the matrix does not have: zeros are read, and nothing is written.
TEST(GroupedGemm, RowsThatAreNotThere) {
  for (const bool on_host : {false, true})
    for (const int more_stride : {0, 1}) {
      const Shape s{.sizes = {40, 1, 29}, .columns = 72, .depth = 64, .more_stride = more_stride};
      Trial<Bf16> trial(s, Index::of_both, GroupedTiles::large, on_host);
      for (int r = 0; r < trial.test.rows; r += 3) trial.index_a[r] = -1;
      for (int r = 0; r < trial.test.rows; r += 4) trial.index_c[r] = -1;
      ASSERT_EQ(trial.launch(), "");
      trial.check();
    }
}

/// Infinities and NaNs of a row, or of a group's matrix, reach their results and no others.
TEST(GroupedGemm, NotFinite) {
  for (const bool on_host : {false, true})
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      Trial<Bf16> trial({{40, 30, 20}, 72, 64}, Index::none, GroupedTiles::large, on_host);
      trial.a[trial.at_a(39, 5)] = static_cast<bf16>(value);
      trial.b[trial.at_b(2, 9, 11)] = static_cast<bf16>(value);
      ASSERT_EQ(trial.launch(), "");
      trial.for_rows([&](int g, int r) {
        for (int j = 0; j < trial.test.columns; j++) {
          const bool finite = std::isfinite(float(trial.c[trial.at_c(r, j)]));
          ASSERT_EQ(finite, r != 39 && !(g == 2 && j == 11)) << "row " << r << " column " << j;
          if (finite) trial.check_element(g, r, j);
        }
      });
    }
}

/// Each kernel once, for kpi.toml, which looks on.
TEST(GroupedGemm, DISABLED_EachKernel) {
  const Shape s{{130, 0, 257, 61, 64}, 512, 512};
  for (const auto tiles : {GroupedTiles::large, GroupedTiles::medium, GroupedTiles::small})
    EXPECT_EQ(Trial<Bf16>(s, Index::of_both, tiles, false).launch(), "");
  EXPECT_EQ(Trial<Bf16>(s, Index::none, GroupedTiles::large, false).launch(), "");
  EXPECT_EQ(Trial<F16>(s, Index::of_a, GroupedTiles::small, false).launch(), "");
}

}  // namespace
