// GEMMs against float64, on the GPU that the program runs on and on the scalar reference. Memory
// between rows and after the matrices holds NaNs, which no result may depend on, and canaries,
// which must stay.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "every_instance.h"
#include "exact.h"
#include "gemm_case.h"
#include "hipsight/kernels/gemm/plan.h"
#include "managed.h"

namespace {

using f16 = _Float16;
using bf16 = __bf16;
using hipsight::kernels::fp8_e4m3;
using hipsight::kernels::fp8_e4m3_fnuz;

/// A batch of matrices as a case lays them out.
struct Layout {
  bool transposed;
  int rows, columns;
  std::int64_t stride, batch;
  int batches;

  std::size_t at(int b, int i, int j) const {
    return b * batch + (transposed ? i + j * stride : i * stride + j);
  }
  std::size_t size() const {
    return rows && columns && batches ? at(batches - 1, rows - 1, columns - 1) + 1 : 0;
  }
};

/// Uniform in [-1, 1], in steps that the type holds exactly.
template <class T>
class Values {
 public:
  explicit Values(unsigned seed) : generator_(seed) {}
  T operator()() { return static_cast<T>(static_cast<float>(step_(generator_)) / steps); }

 private:
  static constexpr int steps = sizeof(T) == 4            ? 1 << 20
                               : std::is_same_v<T, f16>  ? 1 << 10
                               : std::is_same_v<T, bf16> ? 1 << 7
                                                         : 1 << 3;
  std::mt19937 generator_;
  std::uniform_int_distribution<int> step_{-steps, steps};
};

/// The relative error of a result's type.
template <class T>
constexpr double rounding = std::is_same_v<T, float>         ? 0x1p-24
                            : std::is_same_v<T, f16>         ? 0x1p-11
                            : std::is_same_v<T, bf16>        ? 0x1p-8
                            : std::is_same_v<T, std::int8_t> ? 0
                                                             : 0x1p-4;
/// The distance of its least numbers.
template <class T>
constexpr double least_step = std::is_same_v<T, std::int8_t> ? 1
                              : sizeof(T) == 1               ? 0x1p-9
                                                             : 0;

template <class T>
double number(T value) {
  return static_cast<double>(static_cast<float>(value));
}

double after(After what, double value, double bias) {
  if (what == After::bias_relu) return value + bias <= 0 ? 0 : value + bias;
  if (what == After::silu_mul) return value / 2 / (1 + std::exp(-value / 2)) * bias;
  if (what == After::gelu_residual) {
    value += bias;
    return 0.5 * value *
           (1 + std::tanh(std::sqrt(2 / M_PI) * (value + 0.044715 * value * value * value)));
  }
  return value;
}

/// What a type makes of a result that it has no number for.
template <class Out>
double stored(double value) {
  if (!std::is_same_v<Out, std::int8_t>) return value;
  return std::isnan(value) ? 0 : std::fmin(std::fmax(value, -128), 127);
}

template <class T, class Out>
struct Trial {
  GemmCase test;
  Layout a, b, c;
  Managed<T> in_a, in_b;
  Managed<float> bias;
  Managed<Out> out;

  static constexpr float canary = 96;

  explicit Trial(GemmCase given)
      : test(complete(given)),
        a{test.transposed_a, test.m, test.k, test.a_stride, test.a_batch, test.batches},
        b{test.transposed_b, test.k, test.n, test.b_stride, test.b_batch, test.batches},
        c{false, test.m, test.n, test.c_stride, test.c_batch, test.batches},
        in_a(a.size(), nan()),
        in_b(b.size(), nan()),
        bias(factors(test), 0),
        out(c.size() + 64, static_cast<Out>(canary)) {
    fill(a, in_a, 1);
    fill(b, in_b, 2);
    Values<float> values(3);
    for (float& value : bias.all()) value = values();
    if (std::is_same_v<Out, std::int8_t>) bias[0] = 8;  // so that some results saturate
  }

  /// Strides that are not given are the smallest.
  static GemmCase complete(GemmCase t) {
    if (!t.a_stride) t.a_stride = t.transposed_a ? t.m : t.k;
    if (!t.b_stride) t.b_stride = t.transposed_b ? t.k : t.n;
    if (!t.c_stride) t.c_stride = t.n;
    if (t.batches > 1 && !t.c_batch) t.c_batch = t.m * t.c_stride;
    return t;
  }

  /// Biases of the columns, or factors of whatever is scaled.
  static std::size_t factors(const GemmCase& t) {
    const auto blocks = [](int size) { return (size + block - 1) / block; };
    if (t.after == After::scaled_blocks) return (t.m + blocks(t.n)) * blocks(t.k);
    if (t.after == After::gelu_residual) return t.n + std::size_t(t.batches) * t.m * t.n;
    return t.m + t.n;
  }
  static constexpr int block = 128;

  /// What the product of A(i, k) and B(k, j) is scaled by before it is added.
  double factor_of(int i, int j, int k) const {
    if (test.after != After::scaled_blocks) return 1;
    const int blocks = (test.k + block - 1) / block;
    return double(bias[i * blocks + k / block]) *
           double(bias[(test.m + j / block) * blocks + k / block]);
  }

  static T nan() { return static_cast<T>(std::numeric_limits<float>::quiet_NaN()); }

  static void fill(const Layout& layout, const Managed<T>& matrix, unsigned seed) {
    Values<T> values(seed);
    for (int batch = 0; batch < layout.batches; batch++)
      for (int i = 0; i < layout.rows; i++)
        for (int j = 0; j < layout.columns; j++) matrix[layout.at(batch, i, j)] = values();
  }

  std::string launch() {
    const auto run = std::is_same_v<T, f16>             ? run_f16
                     : std::is_same_v<T, bf16>          ? run_bf16
                     : std::is_same_v<T, fp8_e4m3>      ? run_e4m3
                     : std::is_same_v<T, fp8_e4m3_fnuz> ? run_fnuz
                                                        : run_f32;
    return run(test, in_a.data(), in_b.data(), bias.data(), out.data());
  }

  /// Each row of A or column of B as numbers, k of them: `at` says where they lie. Each is used
  /// many times.
  std::vector<double> lines(int count, const Managed<T>& from, auto&& at) const {
    std::vector<double> all(std::size_t(count) * test.k);
    for (int line = 0; line < count; line++)
      for (int k = 0; k < test.k; k++)
        all[std::size_t(line) * test.k + k] = number(from[at(line, k)]);
    return all;
  }

  /// Every element against float64: each of the k products and sums may be off by 2^-23 of the sum
  /// of magnitudes (matrix instructions may truncate), the result by its type's rounding.
  void check() {
    std::vector<bool> written(out.all().size());
    for (int batch = 0; batch < test.batches; batch++) {
      const std::vector<double> rows =
          lines(test.m, in_a, [&](int i, int k) { return a.at(batch, i, k); });
      const std::vector<double> columns =
          lines(test.n, in_b, [&](int j, int k) { return b.at(batch, k, j); });
      for (int i = 0; i < test.m; i++)
        for (int j = 0; j < test.n; j++) {
          const double *const row = &rows[std::size_t(i) * test.k],
                              *const column = &columns[std::size_t(j) * test.k];
          double sum = 0, magnitude = 0;
          for (int k = 0; k < test.k; k++) {
            const double product = row[k] * column[k] * factor_of(i, j, k);
            sum += product;
            magnitude += std::fabs(product);
          }
          double factor = 1;
          if (test.after == After::scaled) factor = double(bias[i]) * double(bias[test.m + j]);
          if (test.after == After::scaled_by_one) factor = double(bias[0]);
          const double of_column = test.after == After::scaled_blocks ? 0 : double(bias[j]);
          double exact = after(test.after, sum, of_column) * factor;
          if (test.after == After::gelu_residual)
            exact += double(bias[test.n + (std::size_t(batch) * test.m + i) * test.n + j]);
          const double want = stored<Out>(exact);
          const double got = number(out[c.at(batch, i, j)]);
          written[c.at(batch, i, j)] = true;
          if (std::isfinite(exact)) {
            const double f32_error =
                (test.k + 4) * 0x1p-23 * (magnitude + 2) * std::fmax(1, std::fabs(factor));
            ASSERT_NEAR(got, want,
                        f32_error * 1.2 + rounding<Out> * std::fabs(want) + least_step<Out> / 2)
                << "batch " << batch << " row " << i << " column " << j;
          } else {
            ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : got == want)
                << got << ", not " << want << ": row " << i << " column " << j;
          }
        }
    }
    for (std::size_t i = 0; i < written.size(); i++)
      if (!written[i])
        ASSERT_EQ(number(out[i]), number(static_cast<Out>(canary)))
            << "written beyond: element " << i;
  }
};

template <class T, class Out = T>
void test_gemm(const GemmCase& test) {
  SCOPED_TRACE(
      testing::Message() << test.m << " x " << test.n << " x " << test.k
                         << (test.transposed_a ? " T" : " N") << (test.transposed_b ? "T" : "N")
                         << (test.on_host ? " on the host" : "") << ", tiles " << int(test.tiles)
                         << ", shares " << test.shares << ", strides " << test.a_stride << ", "
                         << test.b_stride << ", " << test.c_stride);
  Trial<T, Out> run(test);
  ASSERT_EQ(run.launch(), "");
  run.check();
}

struct Size {
  int m, n, k;
};

/// One element; one tile of every GPU and its neighbours; several tiles with each kind of tail;
/// many tiles along the depth, with and without a tail, more than are under way of any type.
constexpr Size sizes[] = {{1, 1, 1},      {1, 130, 64},   {130, 1, 33},   {3, 5, 7},
                          {64, 64, 64},   {63, 65, 31},   {33, 72, 129},  {128, 128, 64},
                          {256, 256, 32}, {257, 130, 40}, {72, 136, 512}, {64, 64, 840},
                          {96, 264, 100}, {65, 72, 1584}};

TEST(Gemm, F16InEveryOrder) {
  for (const Size& s : sizes)
    for (int orders = 0; orders < 4; orders++)
      for (const bool on_host : {false, true})
        test_gemm<f16>({.transposed_a = orders > 1,
                        .transposed_b = orders % 2 == 1,
                        .on_host = on_host,
                        .m = s.m,
                        .n = s.n,
                        .k = s.k});
}

TEST(Gemm, Bf16) {
  for (const Size& s : sizes)
    for (const bool gradient : {false, true})
      for (const bool on_host : {false, true})
        test_gemm<bf16>({.type = Type::bf16,
                         .transposed_a = gradient,
                         .transposed_b = !gradient,
                         .after = gradient ? After::identity : After::bias_relu,
                         .on_host = on_host,
                         .m = s.m,
                         .n = s.n,
                         .k = s.k});
}

TEST(Gemm, F32) {
  for (const Size& s : sizes)
    for (const bool gradient : {false, true})
      for (const bool on_host : {false, true})
        test_gemm<float>({.type = Type::f32,
                          .transposed_a = gradient,
                          .transposed_b = !gradient,
                          .on_host = on_host,
                          .m = s.m,
                          .n = s.n,
                          .k = s.k});
}

/// The other sizes of tiles.
TEST(Gemm, Tiles) {
  for (const Size& s : sizes)
    for (const Tiles tiles : {Tiles::medium, Tiles::small})
      test_gemm<bf16>({.type = Type::bf16,
                       .transposed_b = true,
                       .after = After::bias_relu,
                       .tiles = tiles,
                       .m = s.m,
                       .n = s.n,
                       .k = s.k});
}

/// The size that the library chooses, with all the workspace that it wants.
hipsight::kernels::TileSize planned(const Size& s) {
  using namespace hipsight::kernels;
  const auto problem = gemm_problem(RowMajor<const bf16>{nullptr, s.m, s.k},
                                    ColumnMajor<const bf16>{nullptr, s.k, s.n},
                                    RowMajor<bf16>{nullptr, s.m, s.n}, Identity{}, 1);
  return quickest_plan(problem.shape(), current_device(), SIZE_MAX).size;
}

/// As users call it, with tiles of several sizes, and no byte written that it has not asked for.
TEST(Gemm, Called) {
  std::set<hipsight::kernels::TileSize> taken;
  for (const Size& s : {Size{1, 1, 1}, Size{16, 300, 2100}, Size{70, 520, 4000},
                        Size{600, 1100, 1500}, Size{257, 130, 40}, Size{2050, 2060, 33}}) {
    const GemmCase test{.type = Type::bf16,
                        .transposed_b = true,
                        .after = After::bias_relu,
                        .tiles = Tiles::chosen,
                        .m = s.m,
                        .n = s.n,
                        .k = s.k};
    taken.insert(planned(s));
    test_gemm<bf16>(test);
  }
  EXPECT_GE(taken.size(), 2u);
}

/// Without a workspace, or of two sizes of tiles: what is not compiled is not chosen.
TEST(Gemm, CalledOfFewerKernels) {
  for (const Size& s : {Size{16, 300, 2100}, Size{257, 300, 40}, Size{500, 520, 100}})
    for (const Tiles tiles : {Tiles::chosen_without_workspace, Tiles::chosen_of_two})
      test_gemm<bf16>({.type = Type::bf16,
                       .transposed_b = true,
                       .after = After::bias_relu,
                       .tiles = tiles,
                       .m = s.m,
                       .n = s.n,
                       .k = s.k});
}

TEST(Gemm, CalledInBatches) {
  test_gemm<bf16>({.type = Type::bf16,
                   .transposed_b = true,
                   .after = After::bias_relu,
                   .tiles = Tiles::chosen,
                   .m = 33,
                   .n = 70,
                   .k = 2000,
                   .batches = 5});
}

/// In 8 bits: inputs scaled by row and by column, and results in 8 bits.
TEST(Gemm, Fp8) {
  for (const Size& s : sizes)
    for (const bool on_host : {false, true}) {
      const auto of = [&](Type type, After after) {
        return GemmCase{.type = type,
                        .transposed_b = after == After::scaled,
                        .after = after,
                        .on_host = on_host,
                        .m = s.m,
                        .n = s.n,
                        .k = s.k};
      };
      test_gemm<fp8_e4m3_fnuz>(of(Type::fnuz, After::scaled));
      test_gemm<fp8_e4m3, bf16>(of(Type::e4m3, After::scaled));
      test_gemm<fp8_e4m3, std::int8_t>(of(Type::e4m3, After::scaled_by_one));
    }
}

#ifdef HIPSIGHT_EVERY_INSTANCE
/// The orders that no linear layer needs.
TEST(Gemm, EveryInstance) {
  for (const Size& s : sizes)
    for (int orders = 0; orders < 4; orders++) {
      GemmCase test{.transposed_a = orders > 1,
                    .transposed_b = orders % 2 == 1,
                    .m = s.m,
                    .n = s.n,
                    .k = s.k};
      test.type = Type::bf16;
      test_gemm<bf16>(test);
      test.type = Type::f32;
      test_gemm<float>(test);
      test.type = Type::e4m3;
      test.after = After::scaled;
      test_gemm<fp8_e4m3, bf16>(test);
      test.after = After::scaled_blocks;
      test_gemm<fp8_e4m3, float>(test);
    }
}
#endif

/// Factors inside the sum: blocks that are cut at each end, in whole and in parts of the depth.
template <class T>
void test_scaled_blocks(Type type) {
  for (const Size& s : {Size{1, 1, 1}, Size{70, 130, 128}, Size{257, 264, 129}, Size{63, 140, 1000},
                        Size{130, 33, 640}, Size{70, 140, 3216}, Size{5, 7, 0}})
    for (const int shares : {-1, 0, 3, 10}) {  // -1: none, on the host
      if (shares >= 0 && (!has_fp8<T>() || (shares > 0 && s.k < 256))) continue;
      test_gemm<T, float>({.type = type,
                           .transposed_b = true,
                           .after = After::scaled_blocks,
                           .on_host = shares < 0,
                           .shares = std::max(shares, 0),
                           .m = s.m,
                           .n = s.n,
                           .k = s.k});
    }
}

TEST(Gemm, Fp8InScaledBlocks) {
  test_scaled_blocks<fp8_e4m3>(Type::e4m3);
  test_scaled_blocks<fp8_e4m3_fnuz>(Type::fnuz);
}

/// A NaN in 8 bits reaches its row and no other; the results of others are as they were.
TEST(Gemm, Fp8NotANumber) {
  for (const bool on_host : {false, true}) {
    Trial<fp8_e4m3_fnuz, fp8_e4m3_fnuz> run({.type = Type::fnuz,
                                             .transposed_b = true,
                                             .after = After::scaled,
                                             .on_host = on_host,
                                             .m = 70,
                                             .n = 70,
                                             .k = 50});
    run.in_a[run.a.at(0, 33, 49)] = fp8_e4m3_fnuz::of_bits(0x80);
    run.in_b[run.b.at(0, 3, 68)] = fp8_e4m3_fnuz::of_bits(0x01);  // the least denormal
    ASSERT_EQ(run.launch(), "");
    run.check();
    EXPECT_TRUE(std::isnan(number(run.out[run.c.at(0, 33, 5)])));
  }
}

TEST(Gemm, Epilogues) {
  for (const Size& s : sizes)
    for (const bool on_host : {false, true}) {
      test_gemm<f16>({.transposed_b = true,
                      .after = After::silu_mul,
                      .on_host = on_host,
                      .m = s.m,
                      .n = s.n,
                      .k = s.k});
      test_gemm<f16, float>({.transposed_b = true,
                             .after = After::gelu_residual,
                             .on_host = on_host,
                             .m = s.m,
                             .n = s.n,
                             .k = s.k,
                             .batches = 2,
                             .a_batch = std::int64_t{s.m} * s.k});
    }
}

/// Large for many rows, tiny for few.
Tiles tiles_for(int rows) {
  return rows > 128  ? Tiles::large
         : rows > 90 ? Tiles::medium
         : rows > 64 ? Tiles::small
                     : Tiles::tiny;
}

/// Fewer shares than tiles and more, as many for each tile and not, for each die and not, and more
/// than there are units.
TEST(Gemm, DepthShares) {
  for (const Size& s : {Size{64, 64, 512}, Size{70, 136, 840}, Size{100, 500, 840},
                        Size{257, 130, 1100}, Size{3, 5, 33}})
    for (const int shares : {1, 2, 3, 5, 8, 24, 40})
      for (const bool on_host : {false, true})
        test_gemm<bf16>({.type = Type::bf16,
                         .transposed_b = true,
                         .after = After::bias_relu,
                         .on_host = on_host,
                         .tiles = tiles_for(s.m),
                         .shares = shares,
                         .m = s.m,
                         .n = s.n,
                         .k = s.k});
}

TEST(Gemm, DepthSharesOfBatches) {
  for (const int shares : {5, 16, 48})
    for (const Tiles tiles : {Tiles::large, Tiles::medium, Tiles::tiny})
      for (const bool on_host : {false, true})
        test_gemm<bf16>({.type = Type::bf16,
                         .transposed_b = true,
                         .after = After::bias_relu,
                         .on_host = on_host,
                         .tiles = tiles,
                         .shares = shares,
                         .m = 100,
                         .n = 136,
                         .k = 840,
                         .batches = 4});
}

/// The same call gives the same bits.
TEST(Gemm, DepthSharesAreDeterministic) {
  const GemmCase test{.type = Type::bf16,
                      .transposed_b = true,
                      .after = After::bias_relu,
                      .tiles = Tiles::small,
                      .shares = 9,
                      .m = 100,
                      .n = 72,
                      .k = 1000};
  Trial<bf16, bf16> first(test), second(test);
  ASSERT_EQ(first.launch(), "");
  ASSERT_EQ(second.launch(), "");
  for (std::size_t i = 0; i < first.out.all().size(); i++)
    ASSERT_EQ(number(first.out[i]), number(second.out[i])) << i;
}

/// No depth: the sums are 0, and the epilogue still applies. Nothing is read.
TEST(Gemm, WithoutDepth) {
  for (const bool on_host : {false, true})
    test_gemm<f16>({.on_host = on_host, .m = 70, .n = 41, .k = 0});
  test_gemm<f16>({.transposed_b = true, .after = After::silu_mul, .m = 3, .n = 90, .k = 0});
}

TEST(Gemm, WithoutResults) {
  for (const bool on_host : {false, true}) {
    test_gemm<f16>({.on_host = on_host, .m = 0, .n = 41, .k = 5});
    test_gemm<f16>({.on_host = on_host, .m = 5, .n = 0, .k = 5});
    test_gemm<f16>({.on_host = on_host, .m = 5, .n = 5, .k = 5, .batches = 0});
  }
}

/// Strides that keep chunks aligned, that do not, and that are large.
TEST(Gemm, Strides) {
  for (const int more : {8, 3, 30000})
    for (int orders = 0; orders < 4; orders++) {
      GemmCase test{
          .transposed_a = orders > 1, .transposed_b = orders % 2 == 1, .m = 70, .n = 40, .k = 48};
      test = Trial<f16, f16>::complete(test);
      test.a_stride += more, test.b_stride += more, test.c_stride += more;
      for (const bool on_host : {false, true}) {
        test.on_host = on_host;
        test_gemm<f16>(test);
      }
    }
}

TEST(Gemm, Batches) {
  GemmCase test{.transposed_b = true, .m = 40, .n = 72, .k = 36, .batches = 3};
  test.a_batch = 40 * 36 + 4, test.b_batch = 72 * 36, test.c_batch = 40 * 72 + 1;
  for (const bool on_host : {false, true}) {
    test.on_host = on_host;
    test_gemm<f16>(test);
    test.b_batch = 0;  // the same B for all
    test_gemm<f16>(test);
  }
}

/// Infinities and NaNs reach the results that they belong to, and no others.
template <class T>
void test_not_finite(Type type, After after) {
  for (const bool on_host : {false, true}) {
    Trial<T, T> run({.type = type,
                     .transposed_b = true,
                     .after = after,
                     .on_host = on_host,
                     .m = 70,
                     .n = 70,
                     .k = 50});
    const float infinity = std::numeric_limits<float>::infinity();
    run.in_a[run.a.at(0, 5, 3)] = T(infinity);
    run.in_a[run.a.at(0, 64, 49)] = T(-infinity);
    run.in_a[run.a.at(0, 9, 0)] = run.nan();
    run.in_b[run.b.at(0, 49, 66)] = run.nan();
    run.in_b[run.b.at(0, 3, 8)] = T(0);  // inf * 0
    ASSERT_EQ(run.launch(), "");
    run.check();
    EXPECT_TRUE(std::isnan(number(run.out[run.c.at(0, 9, 60)])));
  }
}

TEST(Gemm, NotFinite) {
  test_not_finite<f16>(Type::f16, After::identity);
  test_not_finite<bf16>(Type::bf16, After::bias_relu);
  test_not_finite<float>(Type::f32, After::identity);
}

/// A NaN is 0 in int8, and infinities are its ends.
TEST(Gemm, NotFiniteInInt8) {
  for (const bool on_host : {false, true}) {
    Trial<fp8_e4m3, std::int8_t> run({.type = Type::e4m3,
                                      .after = After::scaled_by_one,
                                      .on_host = on_host,
                                      .m = 5,
                                      .n = 40,
                                      .k = 33});
    run.in_a[run.a.at(0, 3, 32)] = run.nan();
    run.bias[0] = 3e38f;
    ASSERT_EQ(run.launch(), "");
    run.check();
    EXPECT_EQ(run.out[run.c.at(0, 3, 7)], 0);
    for (int j = 0; j < run.test.n; j++) EXPECT_GE(std::abs(run.out[run.c.at(0, 4, j)]), 127) << j;
  }
}

/// Beyond the result's range: an infinity.
TEST(Gemm, Overflow) {
  for (const bool on_host : {false, true}) {
    Trial<f16, f16> run({.transposed_b = true, .on_host = on_host, .m = 2, .n = 2, .k = 2});
    for (f16& value : run.in_a.all()) value = 30000;
    for (f16& value : run.in_b.all()) value = -30000;
    ASSERT_EQ(run.launch(), "");
    EXPECT_EQ(float(run.out[0]), -std::numeric_limits<float>::infinity());
  }
}

/// Operands and results below the normal range keep their values, but for CDNA2.
template <class T>
void test_denormals(Type type, float denormal) {
  for (const bool on_host : {false, true}) {
    Trial<T, T> run(
        {.type = type, .transposed_a = true, .on_host = on_host, .m = 16, .n = 16, .k = 1});
    for (T& value : run.in_a.all()) value = T(denormal);
    for (T& value : run.in_b.all()) value = T(1);
    ASSERT_EQ(run.launch(), "");
    const bool kept = on_host || sizeof(T) == 4 || !takes_denormals_as_zeros();
    EXPECT_EQ(float(run.out[17]), kept ? denormal : 0);
  }
}

TEST(Gemm, Denormals) {
  test_denormals<f16>(Type::f16, 3 * 0x1p-24f);
  test_denormals<bf16>(Type::bf16, 3 * 0x1p-133f);
  test_denormals<float>(Type::f32, 3 * 0x1p-149f);
}

/// Each kernel once, for kpi.toml, which looks on.
TEST(Gemm, DISABLED_EachKernel) {
  const auto launch = [](auto zero, GemmCase test) {
    if (!test.m) test.m = 512;
    test.n = test.k = 512;
    Trial<decltype(zero), float> trial(test);
    const std::string error = trial.launch();
    if (error != "flags are left") EXPECT_EQ(error, "");  // by a sample of the workgroups
  };
  for (int orders = 0; orders < 4; orders++)
    launch(f16(), {.transposed_a = orders > 1, .transposed_b = orders % 2 == 1});
  for (const After after : {After::gelu_residual, After::silu_mul})
    launch(f16(), {.transposed_b = true, .after = after});
  for (const Tiles tiles : {Tiles::tiny, Tiles::small, Tiles::medium, Tiles::large})
    for (const int shares : {32, 0}) {
      if (tiles == Tiles::tiny && shares == 0) continue;
      launch(bf16(), {.type = Type::bf16,
                      .transposed_b = true,
                      .after = After::bias_relu,
                      .tiles = tiles,
                      .shares = shares,
                      .m = tiles == Tiles::tiny || tiles == Tiles::small ? 64 : 512});
    }
  launch(bf16(), {.type = Type::bf16, .transposed_a = true});
  for (const bool gradient : {false, true})
    launch(float(), {.type = Type::f32, .transposed_a = gradient, .transposed_b = !gradient});
  launch(fp8_e4m3_fnuz(0.0f), {.type = Type::fnuz, .transposed_b = true, .after = After::scaled});
  launch(fp8_e4m3(0.0f), {.type = Type::e4m3, .transposed_b = true, .after = After::scaled});
  launch(fp8_e4m3(0.0f), {.type = Type::e4m3, .after = After::scaled_by_one});
  for (const int shares : {0, 32}) {
    const GemmCase blocks{.transposed_b = true, .after = After::scaled_blocks, .shares = shares};
    if (has_fp8<fp8_e4m3>())
      launch(fp8_e4m3(0.0f), blocks);
    else
      launch(fp8_e4m3_fnuz(0.0f), blocks);
  }
}

/// Of a single row or column it is nowhere used.
TEST(Gemm, AnyStrideOfOneLine) {
  constexpr std::int64_t far = std::int64_t{1} << 40;
  test_gemm<f16>(
      {.transposed_b = true, .m = 1, .n = 70, .k = 50, .a_stride = far, .c_stride = far});
  test_gemm<f16>({.transposed_b = true, .m = 70, .n = 1, .k = 50, .b_stride = far});
}

TEST(Gemm, ErrorsNameWhatIsWrong) {
  const auto error = [](GemmCase test) {
    return run_f16(Trial<f16, f16>::complete(test), nullptr, nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(error({.m = 4, .n = 5, .k = 6, .a_stride = 5}),
            "gemm: A's stride of 5 is less than the 6 elements side by side");
  EXPECT_EQ(error({.transposed_b = true, .m = 4, .n = 5, .k = 6, .b_stride = 3}),
            "gemm: B's stride of 3 is less than the 6 elements side by side");
  EXPECT_EQ(error({.m = 4, .n = 5, .k = 6, .c_stride = 1 << 30}),
            "gemm: C's stride of 1073741824 is more than 4194303, the largest that kernels take");
  EXPECT_EQ(error({.m = -4, .n = 5, .k = 6}),
            "gemm: a size is negative: A is -4 x 6 and B is 6 x 5");
  EXPECT_EQ(error({.m = 4, .n = 5, .k = 6, .batches = 70000}),
            "gemm: there are 70000 batches: it must be 0 to 65535");
  EXPECT_EQ(error({.m = 4, .n = 5, .k = 6}), "gemm: a matrix is a null pointer");
  Trial<bf16, bf16> called({.type = Type::bf16,
                            .transposed_b = true,
                            .after = After::bias_relu,
                            .tiles = Tiles::chosen,
                            .misaligned_by = 4,
                            .m = 4,
                            .n = 5,
                            .k = 6});
  EXPECT_EQ(called.launch(), "gemm: the workspace must begin at a multiple of 16 bytes");
  Trial<fp8_e4m3, float> scaled({.type = Type::e4m3,
                                 .transposed_b = true,
                                 .after = After::scaled_blocks,
                                 .on_host = true,
                                 .m = 4,
                                 .n = 5,
                                 .k = 6});
  EXPECT_EQ(
      run_e4m3(scaled.test, scaled.in_a.data(), scaled.in_b.data(), nullptr, scaled.out.data()),
      "gemm: the factors of A are a null pointer");
}

}  // namespace
