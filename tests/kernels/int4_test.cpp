// GEMMs of weights in 4 bits against float64, on the GPU that the program runs on and on the scalar
// reference; and their packing against the layouts as their authors describe them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "int4_case.h"
#include "managed.h"

namespace {

using f16 = _Float16;
using bf16 = __bf16;

struct Size {
  int rows, columns, depth, group, gap;
};
/// One of each; tails of rows and columns of tiles; depths that no tile is made of; one group for
/// all codes.
constexpr Size sizes[] = {{1, 32, 32, 32, 0},     {17, 32, 4128, 32, 0},   {32, 64, 1088, 64, 5},
                          {1, 64, 256, 128, 0},   {3, 96, 256, 64, 8},     {70, 160, 96, 32, 0},
                          {5, 96, 96, 96, 3},     {33, 288, 320, 64, 0},   {130, 288, 1024, 128, 0},
                          {16, 32, 2048, 256, 0}, {40, 64, 1024, 1024, 0}, {2, 32, 0, 0, 0}};

/// In which word of what is packed a code is: of 32 columns each 32 codes, then the next ones.
std::size_t word_of(int depth, int n, int k) {
  return ((std::size_t(n / 32) * (depth / 32) + k / 32) * 32 + n % 32) * 4 + k % 32 / 8;
}
std::size_t factors_of(int groups, int n, int group) {
  return (std::size_t(n / 32) * groups + group) * 32 + n % 32;
}

/// Rounded as kernels do it: in bf16 half goes away from zero.
double nearest(f16, float value) {
  return double(f16(value));
}
double nearest(bf16, float value) {
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + 0x8000) & 0xffff0000);
}

/// Weights by their numbers: codes, and what each is worth.
template <class T>
struct Weights {
  struct Factors {
    T scale, zero;
  };
  Managed<std::uint32_t> codes;
  Managed<Factors> factors;
  std::vector<double> worth;  // of column n at depth k: n * depth + k

  explicit Weights(const Size& s)
      : codes(std::size_t(s.columns) * s.depth / 8 + 4, 0u),
        factors(std::size_t(s.columns) * (s.group ? s.depth / s.group : 0) + 1, Factors{}),
        worth(std::size_t(s.columns) * s.depth) {
    std::mt19937 generator(2);
    std::uniform_int_distribution<int> code(0, 15), step(1, 64);
    for (int n = 0; n < s.columns; n++)
      for (int k = 0; k < s.depth; k++) {
        Factors& known = factors[factors_of(s.depth / s.group, n, k / s.group)];
        if (k % s.group == 0)
          known = {T(static_cast<float>(step(generator)) / 1024), T(float(code(generator)))};
        const int one = code(generator), i = k % 8;
        codes[word_of(s.depth, n, k)] |= std::uint32_t(one) << (i % 2 * 16 + i / 2 * 4);
        worth[std::size_t(n) * s.depth + k] =
            nearest(T(), (float(one) - float(known.zero)) * float(known.scale));
      }
  }
};

template <class T>
void test_int4(std::string (*run)(const Int4Case&), double rounding, double bias, bool shares) {
  for (const Size& s : sizes)
    for (const bool on_host : {false, true}) {
      SCOPED_TRACE(testing::Message()
                   << s.rows << " x " << s.columns << " x " << s.depth << ", groups of " << s.group
                   << (on_host  ? ", on the host"
                       : shares ? ", in shares"
                                : ""));
      const int stride = s.depth + s.gap, c_stride = s.columns + s.gap;
      constexpr float nan = std::numeric_limits<float>::quiet_NaN(), canary = 96;
      const Weights<T> weights(s);
      const Managed<T> a(std::size_t(s.rows) * stride + 8, T(nan)),
          c(std::size_t(s.rows) * c_stride + 8, T(canary));
      const Managed<std::byte> workspace(16 << 20, std::byte{0});
      std::mt19937 generator(1);
      std::uniform_int_distribution<int> step(-64, 64);
      for (int r = 0; r < s.rows; r++)
        for (int k = 0; k < s.depth; k++)
          a[std::size_t(r) * stride + k] = T(static_cast<float>(step(generator)) / 64);
      ASSERT_EQ(run({.on_host = on_host,
                     .rows = s.rows,
                     .columns = s.columns,
                     .depth = s.depth,
                     .group = s.group,
                     .a_stride = stride,
                     .c_stride = c_stride,
                     .a = a.data(),
                     .factors = weights.factors.data(),
                     .codes = weights.codes.data(),
                     .c = c.data(),
                     .workspace = shares && !on_host ? workspace.data() : nullptr,
                     .workspace_bytes = 16 << 20}),
                "");
      for (int r = 0; r < s.rows; r++)
        for (int n = 0; n < c_stride; n++) {
          const auto got = double(c[std::size_t(r) * c_stride + n]);
          if (n >= s.columns) {
            ASSERT_EQ(got, canary) << "written beyond";
            continue;
          }
          double want = bias, size = 0;
          for (int k = 0; k < s.depth; k++) {
            const double one = double(a[std::size_t(r) * stride + k]) *
                               weights.worth[std::size_t(n) * s.depth + k];
            want += one, size += std::fabs(one);
          }
          ASSERT_NEAR(got, want, rounding * std::fabs(want) + 0x1p-20 * size + 1e-7)
              << "row " << r << " column " << n;
        }
    }
}

TEST(Int4Gemm, F16) {
  test_int4<f16>(int4_f16, 0x1p-10, 0, false);
}

TEST(Int4Gemm, F16InShares) {
  test_int4<f16>(int4_f16, 0x1p-10, 0, true);
}

TEST(Int4Gemm, Bf16) {
  test_int4<bf16>(int4_bf16, 0x1p-7, 1, false);
}

/// The code of column n at depth k, of what was packed.
int packed(const Managed<std::uint32_t>& codes, int depth, int n, int k) {
  const int i = k % 8;
  return int(codes[word_of(depth, n, k)] >> (i % 2 * 16 + i / 2 * 4) & 15);
}

TEST(Int4Pack, OfLayouts) {
  constexpr int columns = 64, depth = 256, group = 64, groups = depth / group;
  std::mt19937 generator(3);
  std::uniform_int_distribution<int> any(0, 15);
  std::vector<int> code(columns * depth), zero(columns * groups);
  for (int& one : code) one = any(generator);
  for (int& one : zero) one = any(generator);
  const Managed<f16> scales(groups * columns, f16(0));
  for (int i = 0; i < groups * columns; i++) scales[i] = f16(float(i + 1) / 256);
  for (const bool on_host : {false, true})
    for (const Int4Layout layout : {Int4Layout::gptq, Int4Layout::awq})
      for (const int zero_less : {0, 1}) {
        const bool gptq = layout == Int4Layout::gptq;
        const Managed<std::uint32_t> from(columns * depth / 8, 0u), zeros(columns * groups / 8, 0u),
            codes(columns * depth / 8, 0u);
        const Managed<f16> factors(2 * columns * groups, f16(0));
        // AutoAWQ puts column 8 j + order[i] of a row into bits 4 i of word j.
        constexpr int order[] = {0, 2, 4, 6, 1, 3, 5, 7};
        const auto awq_place = [&](int n) {
          int i = 0;
          while (order[i] != n % 8) i++;
          return 4 * i;
        };
        for (int n = 0; n < columns; n++) {
          for (int k = 0; k < depth; k++) {
            const auto one = std::uint32_t(code[n * depth + k]);
            if (gptq)
              from[k / 8 * columns + n] |= one << 4 * (k % 8);
            else
              from[k * (columns / 8) + n / 8] |= one << awq_place(n);
          }
          for (int g = 0; g < groups; g++)
            zeros[g * (columns / 8) + n / 8] |= std::uint32_t(zero[n * groups + g])
                                                << (gptq ? 4 * (n % 8) : awq_place(n));
        }
        ASSERT_EQ(int4_pack_f16({.on_host = on_host,
                                 .layout = layout,
                                 .columns = columns,
                                 .depth = depth,
                                 .group = group,
                                 .zero_less = zero_less,
                                 .scales = scales.data(),
                                 .from = from.data(),
                                 .zeros = zeros.data(),
                                 .codes = codes.data(),
                                 .factors = factors.data()}),
                  "");
        for (int n = 0; n < columns; n++)
          for (int k = 0; k < depth; k++) {
            const int g = k / group;
            ASSERT_EQ(packed(codes, depth, n, k), code[n * depth + k]) << n << " " << k;
            ASSERT_EQ(factors[2 * factors_of(groups, n, g)], scales[g * columns + n]);
            ASSERT_EQ(float(factors[2 * factors_of(groups, n, g) + 1]),
                      zero[n * groups + g] + (gptq ? zero_less : 0));
          }
      }
}

TEST(Int4Pack, OfValues) {
  constexpr int columns = 32, depth = 128, group = 32, groups = depth / group;
  const Managed<f16> weights(columns * depth, f16(0));
  std::mt19937 generator(4);
  std::normal_distribution<float> any(0.1f, 1);
  for (int i = 0; i < columns * depth; i++) weights[i] = f16(any(generator));
  for (int k = 0; k < group; k++) weights[k] = f16(0);              // a group of zeros
  for (int k = 0; k < group; k++) weights[depth + k] = f16(k + 1);  // and one without negative ones
  for (const bool on_host : {false, true}) {
    const Managed<std::uint32_t> codes(columns * depth / 8, 0u);
    const Managed<f16> factors(2 * columns * groups, f16(0));
    ASSERT_EQ(int4_pack_f16({.on_host = on_host,
                             .columns = columns,
                             .depth = depth,
                             .group = group,
                             .weights = weights.data(),
                             .codes = codes.data(),
                             .factors = factors.data()}),
              "");
    for (int n = 0; n < columns; n++)
      for (int k = 0; k < depth; k++) {
        const auto scale = double(factors[2 * factors_of(groups, n, k / group)]),
                   zero = double(factors[2 * factors_of(groups, n, k / group) + 1]);
        ASSERT_NEAR((packed(codes, depth, n, k) - zero) * scale, double(weights[n * depth + k]),
                    0.51 * scale)
            << n << " " << k;
      }
  }
}

TEST(Int4Gemm, RefusesWhatNoKernelTakes) {
  f16 value(0);
  alignas(16) std::uint32_t codes[8]{};
  const auto error = [&](Int4Case test) {
    test.a = test.c = &value, test.factors = &value;
    test.a_stride = test.depth, test.c_stride = test.columns;
    if (!test.codes) test.codes = codes;
    return int4_f16(test);
  };
  EXPECT_EQ(error({.depth = 40}),
            "int4_gemm: the depth of 40 is no multiple of 32, as codes need it");
  EXPECT_EQ(error({.depth = 64, .group = 48}),
            "int4_gemm: groups of 48 codes: they must have all 64, or a power of two from 32 on");
  EXPECT_EQ(error({.depth = 96, .group = 64}),
            "int4_gemm: the depth of 96 is no multiple of the groups' 64");
  EXPECT_EQ(error({.codes = codes + 1}),
            "int4_gemm: the codes must begin at a multiple of 16 bytes");
  EXPECT_EQ(error({.columns = 40}), "int4_gemm: there are 40 columns, which are no multiple of 32");
  EXPECT_EQ(int4_f16({.a_stride = 32, .c_stride = 32}), "int4_gemm: C is a null pointer");
  EXPECT_EQ(int4_pack_f16({.layout = Int4Layout::awq, .columns = 12}),
            "int4_pack: there are 12 columns, which are no multiple of 32");
  EXPECT_EQ(int4_pack_f16({.layout = Int4Layout::gptq}), "int4_pack: the codes is a null pointer");
}

/// Each kernel once, for kpi.toml, which looks on.
TEST(Int4Gemm, DISABLED_EachKernel) {
  const auto run = [&]<class T>(T, std::string (*multiply)(const Int4Case&), int rows, int columns,
                                int depth, bool shares) {
    const Managed<T> a(std::size_t(rows) * depth, T(0)), c(std::size_t(rows) * columns, T(0)),
        factors(std::size_t(columns) * depth / 64, T(0));
    const Managed<std::uint32_t> codes(std::size_t(columns) * depth / 8, 0u);
    const Managed<std::byte> workspace(64 << 20, std::byte{0});
    EXPECT_EQ(multiply({.rows = rows,
                        .columns = columns,
                        .depth = depth,
                        .group = 128,
                        .a_stride = depth,
                        .c_stride = columns,
                        .a = a.data(),
                        .factors = factors.data(),
                        .codes = codes.data(),
                        .c = c.data(),
                        .workspace = shares ? workspace.data() : nullptr,
                        .workspace_bytes = 64 << 20}),
              "");
  };
  run(f16(0), int4_f16, 16, 4096, 4096, false);  // few rows
  run(bf16(0), int4_bf16, 1, 1024, 4096, false);
  run(f16(0), int4_f16, 40, 1024, 8192, true);  // in shares
  run(f16(0), int4_f16, 1024, 4096, 1024, false);
  run(bf16(0), int4_bf16, 4096, 4096, 1024, false);
  for (const Int4Layout layout : {Int4Layout::values, Int4Layout::gptq, Int4Layout::awq}) {
    const int columns = 1024, depth = 1024;
    const Managed<f16> weights(columns * depth, f16(0)), factors(2 * columns * depth / 128, f16(0));
    const Managed<std::uint32_t> from(columns * depth / 8, 0u), codes(columns * depth / 8, 0u);
    EXPECT_EQ(int4_pack_f16({.layout = layout,
                             .columns = columns,
                             .depth = depth,
                             .group = 128,
                             .weights = weights.data(),
                             .scales = weights.data(),
                             .from = from.data(),
                             .zeros = from.data(),
                             .codes = codes.data(),
                             .factors = factors.data()}),
              "");
  }
}

}  // namespace
