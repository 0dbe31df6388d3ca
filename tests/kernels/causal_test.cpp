// Causal convolutions against float64, on the GPU that the program runs on and on the scalar
// reference.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "causal_case.h"
#include "managed.h"

namespace {

using bf16 = __bf16;

struct Size {
  int batches, tokens, channels, gap;
};
/// One of each; runs and chunks, and their neighbours; channels that no chunk is made of.
constexpr Size sizes[] = {{1, 1, 1, 0},   {1, 16, 8, 0},   {2, 17, 64, 8}, {3, 15, 65, 3},
                          {1, 33, 12, 4}, {2, 70, 256, 0}, {1, 2, 40, 1}};

template <class T, int taps>
void test_causal(std::string (*run)(const CausalCase&), double rounding) {
  for (const Size& s : sizes)
    for (const bool on_host : {false, true})
      for (const int kind : {0, 1, 2, 3}) {  // with a bias, with what is before; then SiLU
        SCOPED_TRACE(testing::Message() << s.batches << " x " << s.tokens << " x " << s.channels
                                        << ", kind " << kind << (on_host ? ", on the host" : ""));
        const int stride = s.channels + s.gap, rows = s.batches * s.tokens;
        constexpr float nan = std::numeric_limits<float>::quiet_NaN(), canary = 96;
        const Managed<T> x(std::size_t(rows) * stride, T(nan)),
            y(std::size_t(rows) * stride + 8, T(canary)), weights(s.channels * taps, T(0)),
            bias(s.channels, T(0)), before(std::size_t(s.batches) * (taps - 1) * s.channels, T(0));
        std::mt19937 generator(1);
        std::uniform_int_distribution<int> step(-128, 128);
        const auto value = [&] { return T(static_cast<float>(step(generator)) / 128); };
        for (int r = 0; r < rows; r++)
          for (int c = 0; c < s.channels; c++) x[std::size_t(r) * stride + c] = value();
        for (const auto* of : {&weights, &bias, &before})
          for (T& one : of->all()) one = value();
        const bool with_bias = kind & 1, with_before = kind & 2, silu = kind == 3;
        ASSERT_EQ(run({.on_host = on_host,
                       .batches = s.batches,
                       .tokens = s.tokens,
                       .channels = s.channels,
                       .x_stride = stride,
                       .y_stride = stride,
                       .x = x.data(),
                       .weights = weights.data(),
                       .bias = with_bias ? bias.data() : nullptr,
                       .before = with_before ? before.data() : nullptr,
                       .y = y.data(),
                       .silu = silu}),
                  "");
        for (int b = 0; b < s.batches; b++)
          for (int t = 0; t < s.tokens; t++)
            for (int c = 0; c < stride; c++) {
              const auto got = double(y[(std::size_t(b) * s.tokens + t) * stride + c]);
              if (c >= s.channels) {
                ASSERT_EQ(got, canary) << "written beyond";
                continue;
              }
              double want = with_bias ? double(bias[c]) : 0;
              for (int i = 0; i < taps; i++) {
                const int from = t - (taps - 1) + i;
                const double given =
                    from >= 0 ? double(x[(std::size_t(b) * s.tokens + from) * stride + c])
                    : with_before
                        ? double(
                              before[(std::size_t(b) * (taps - 1) + from + taps - 1) * s.channels +
                                     c])
                        : 0;
                want += double(weights[c * taps + i]) * given;
              }
              if (silu) want = want / (1 + std::exp(-want));
              ASSERT_NEAR(got, want, rounding * std::fabs(want) + 1e-6)
                  << "sequence " << b << " token " << t << " channel " << c;
            }
      }
}

TEST(CausalConvolution, Bf16) {
  test_causal<bf16, 4>(causal_bf16, 0x1p-8);
}

TEST(CausalConvolution, F32) {
  test_causal<float, 3>(causal_f32, 0x1p-21);
}

TEST(CausalConvolution, RefusesWhatNoKernelTakes) {
  float value = 0;
  const auto error = [&](CausalCase test) {
    test.x = test.weights = &value, test.y = &value;
    return causal_f32(test);
  };
  EXPECT_EQ(error({.tokens = -1, .x_stride = 1, .y_stride = 1}),
            "causal_convolution: a size is negative: 1 x -1 x 1");
  EXPECT_EQ(error({.channels = 8, .x_stride = 7, .y_stride = 8}),
            "causal_convolution: tokens overlap: a stride is less than the 8 channels");
  EXPECT_EQ(causal_f32({.x_stride = 1, .y_stride = 1}), "causal_convolution: x is a null pointer");
  EXPECT_EQ(error({.batches = 0, .x_stride = 1, .y_stride = 1}), "");
}

/// Each kernel once, for kpi.toml, which looks on.
TEST(CausalConvolution, DISABLED_EachKernel) {
  const int tokens = 512, channels = 1024;
  const auto run = [&]<class T>(T, std::string (*convolve)(const CausalCase&)) {
    const Managed<T> x(std::size_t(tokens) * channels, T(0)), y(x.all().size(), T(0)),
        weights(channels * 4, T(0));
    EXPECT_EQ(convolve({.tokens = tokens,
                        .channels = channels,
                        .x_stride = channels,
                        .y_stride = channels,
                        .x = x.data(),
                        .weights = weights.data(),
                        .y = y.data(),
                        .silu = true}),
              "");
  };
  run(bf16(0), causal_bf16);
  run(0.0f, causal_f32);
}

}  // namespace
