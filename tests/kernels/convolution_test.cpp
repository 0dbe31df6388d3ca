// Convolutions and their gradients against float64, on the GPU that the program runs on and on the
// scalar reference. Memory between pixels holds NaNs where it is read and canaries where it is
// written: no result may depend on the former, and the latter must stay.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "convolution_case.h"
#include "managed.h"

namespace {

using f16 = _Float16;
using bf16 = __bf16;
using Of = ConvolutionOf;
using Tiles = ConvolutionSize;

constexpr float canary = 96;

template <class T>
struct Trial {
  ConvolutionCase test;
  int high, wide;
  Managed<T> images, filters, result;
  Managed<float> biases;

  static int or_dense(int stride, int channels) { return stride ? stride : channels; }

  explicit Trial(const ConvolutionCase& given)
      : test(given),
        high(given.size_of_result(0)),
        wide(given.size_of_result(1)),
        images(pixels() * or_dense(given.image_stride, given.channels), between(Of::images)),
        filters(std::size_t(given.filters) * given.taps[0] * given.taps[1] * given.deep(),
                between(Of::filters)),
        result(places() * or_dense(given.result_stride, given.filters), between(Of::result)),
        biases(given.filters, 0) {
    std::mt19937 generator(1);
    std::uniform_int_distribution<int> step(-128, 128);
    const auto value = [&] { return static_cast<float>(step(generator)) / 128; };
    const auto fill = [&](const Managed<T>& to, std::size_t lines, int width, int stride) {
      for (std::size_t i = 0; i < lines; i++)
        for (int c = 0; c < width; c++) to[i * stride + c] = T(value());
    };
    if (test.of != Of::images)
      fill(images, pixels(), test.channels, or_dense(test.image_stride, test.channels));
    if (test.of != Of::filters) fill(filters, 1, int(filters.all().size()), 0);
    if (test.of != Of::result)
      fill(result, places(), test.filters, or_dense(test.result_stride, test.filters));
    for (float& bias : biases.all()) bias = value();
  }

  T between(Of which) const {
    return T(which == test.of ? canary : std::numeric_limits<float>::quiet_NaN());
  }
  std::size_t pixels() const { return std::size_t(test.images) * test.height * test.width; }
  std::size_t places() const { return std::size_t(test.images) * high * wide; }

  std::size_t at_image(int n, int y, int x, int c) const {
    return ((std::size_t(n) * test.height + y) * test.width + x) *
               or_dense(test.image_stride, test.channels) +
           c;
  }
  std::size_t at_filter(int k, int r, int s, int c) const {
    return ((std::size_t(k) * test.taps[0] + r) * test.taps[1] + s) * test.deep() + c;
  }
  std::size_t at_result(int n, int y, int x, int k) const {
    return ((std::size_t(n) * high + y) * wide + x) * or_dense(test.result_stride, test.filters) +
           k;
  }

  std::string launch() {
    if constexpr (std::is_same_v<T, f16>)
      return run_convolution_f16(test, images.data(), filters.data(), result.data());
    else
      return run_convolution_bf16(test, images.data(), filters.data(), result.data(),
                                  biases.data());
  }

  struct Sum {
    double value = 0, magnitude = 0;
    int terms = 0;
    void add(double product) { value += product, magnitude += std::fabs(product), terms++; }
  };

  /// f(place in the images, in the filters, in the result) of each product.
  template <class F>
  void for_products(F f) const {
    const int deep = test.deep(), of_group = test.filters / test.groups;
    for (int n = 0; n < test.images; n++)
      for (int y = 0; y < high; y++)
        for (int x = 0; x < wide; x++)
          for (int r = 0; r < test.taps[0]; r++)
            for (int s = 0; s < test.taps[1]; s++) {
              const int up = y * test.stride[0] - test.padding[0] + r * test.dilation[0],
                        along = x * test.stride[1] - test.padding[1] + s * test.dilation[1];
              if (up < 0 || up >= test.height || along < 0 || along >= test.width) continue;
              for (int k = 0; k < test.filters; k++)
                for (int c = 0; c < deep; c++)
                  f(at_image(n, up, along, k / of_group * deep + c), at_filter(k, r, s, c),
                    at_result(n, y, x, k));
            }
  }

  const Managed<T>& written() const {
    return test.of == Of::images ? images : test.of == Of::filters ? filters : result;
  }
  /// Whether element i of what is written is a result.
  bool is_result(std::size_t i) const {
    if (test.of == Of::filters) return true;
    const bool of_images = test.of == Of::images;
    const int channels = of_images ? test.channels : test.filters;
    const int stride = or_dense(of_images ? test.image_stride : test.result_stride, channels);
    return i % stride < std::size_t(channels);
  }

  /// Each product and sum may be off by 2^-23 of the sum of magnitudes, the result by its type's
  /// rounding.
  void check() const {
    std::vector<Sum> sums(written().all().size());
    for_products([&](std::size_t i, std::size_t f, std::size_t r) {
      if (test.of == Of::result) sums[r].add(double(images[i]) * double(filters[f]));
      if (test.of == Of::images) sums[i].add(double(filters[f]) * double(result[r]));
      if (test.of == Of::filters) sums[f].add(double(images[i]) * double(result[r]));
    });
    for (std::size_t i = 0; i < sums.size(); i++) {
      const auto got = double(written()[i]);
      if (!is_result(i)) {
        ASSERT_EQ(got, double(canary)) << "written between pixels: element " << i;
        continue;
      }
      double want = sums[i].value;
      const int stride = or_dense(test.result_stride, test.filters);
      if constexpr (std::is_same_v<T, bf16>)
        want = std::max(0.0, want + double(biases[i % stride]));
      constexpr double rounding = std::is_same_v<T, bf16> ? 0x1p-8 : 0x1p-11;
      ASSERT_NEAR(got, want,
                  (sums[i].terms + 4) * 0x1.4p-23 * (sums[i].magnitude + 1) +
                      rounding * std::fabs(want) + 0x1p-24)
          << "element " << i;
    }
  }
};

/// Tails of all tiles; filters larger than the image; taps that all lie in the padding; strides and
/// dilations that leave pixels out; channels that make chunks and that do not.
const ConvolutionCase cases[] = {
    {},
    {.images = 2,
     .height = 9,
     .width = 11,
     .channels = 16,
     .filters = 24,
     .taps = {3, 3},
     .padding = {1, 1}},
    {.height = 12, .width = 7, .channels = 40, .filters = 70, .taps = {3, 5}, .padding = {1, 2}},
    {.images = 3,
     .height = 8,
     .width = 8,
     .channels = 8,
     .filters = 16,
     .taps = {3, 3},
     .stride = {2, 2},
     .padding = {1, 1}},
    {.height = 13,
     .width = 10,
     .channels = 24,
     .filters = 9,
     .taps = {3, 2},
     .stride = {2, 3},
     .padding = {2, 1},
     .dilation = {2, 3}},
    {.images = 2,
     .height = 7,
     .width = 7,
     .channels = 3,
     .filters = 8,
     .taps = {7, 7},
     .stride = {2, 2},
     .padding = {3, 3}},
    {.images = 2, .height = 6, .width = 5, .channels = 5, .filters = 7, .taps = {2, 2}},
    {.height = 2, .width = 2, .channels = 8, .filters = 8, .taps = {5, 5}, .padding = {4, 4}},
    {.images = 2,
     .height = 10,
     .width = 9,
     .channels = 64,
     .filters = 48,
     .taps = {3, 3},
     .padding = {1, 1},
     .groups = 4},
    {.images = 5,
     .height = 1,
     .width = 33,
     .channels = 12,
     .filters = 6,
     .taps = {1, 4},
     .padding = {0, 3},
     .groups = 3},
    {.images = 70, .height = 1, .width = 1, .channels = 32, .filters = 33},
    {.images = 2, .height = 10, .width = 10, .channels = 72, .filters = 130, .taps = {1, 1}},
    {.images = 2,
     .height = 6,
     .width = 6,
     .channels = 16,
     .filters = 16,
     .taps = {3, 3},
     .padding = {1, 1},
     .image_stride = 24,
     .result_stride = 40},
    {.images = 1,
     .height = 6,
     .width = 6,
     .channels = 16,
     .filters = 16,
     .taps = {3, 3},
     .padding = {1, 1},
     .image_stride = 19,
     .result_stride = 17}};

template <class T>
void test_convolution(ConvolutionCase test) {
  for (const bool on_host : {false, true}) {
    if (on_host && test.tiles != Tiles::small) continue;
    test.on_host = on_host;
    SCOPED_TRACE(testing::Message()
                 << test.images << " x " << test.height << " x " << test.width << " x "
                 << test.channels << ", " << test.filters << " filters of " << test.taps[0] << " x "
                 << test.taps[1] << ", tiles " << int(test.tiles)
                 << (on_host ? ", on the host" : ""));
    Trial<T> trial(test);
    ASSERT_EQ(trial.launch(), "");
    trial.check();
  }
}

TEST(Convolutions, F16) {
  for (ConvolutionCase test : cases)
    for (const Tiles tiles : {Tiles::large, Tiles::medium, Tiles::small}) {
      test.tiles = tiles;
      test_convolution<f16>(test);
    }
}

TEST(Convolutions, Bf16WithABiasAndRelu) {
  for (const ConvolutionCase& test : cases) test_convolution<bf16>(test);
}

TEST(Convolutions, GradientOfImages) {
  for (ConvolutionCase test : cases) {
    test.of = Of::images;
    test_convolution<f16>(test);
  }
}

TEST(Convolutions, GradientOfFilters) {
  for (ConvolutionCase test : cases)
    for (const bool shared : {false, true}) {
      test.of = Of::filters, test.shared_depth = shared;
      test_convolution<f16>(test);
    }
}

/// So deep that workgroups share it.
TEST(Convolutions, GradientOfFiltersInShares) {
  test_convolution<f16>({.of = Of::filters,
                         .images = 2,
                         .height = 40,
                         .width = 40,
                         .channels = 16,
                         .filters = 40,
                         .taps = {3, 3},
                         .padding = {1, 1},
                         .shared_depth = true});
}

/// A NaN of the images reaches the results that have it in their window, and no others.
TEST(Convolutions, NotFinite) {
  for (const bool on_host : {false, true}) {
    ConvolutionCase test = cases[1];
    test.on_host = on_host;
    Trial<f16> trial(test);
    const std::size_t broken = trial.at_image(1, 4, 5, 7);
    trial.images[broken] = f16(std::numeric_limits<float>::quiet_NaN());
    ASSERT_EQ(trial.launch(), "");
    std::vector<bool> reached(trial.result.all().size());
    trial.for_products([&](std::size_t image, std::size_t, std::size_t result) {
      if (image == broken) reached[result] = true;
    });
    for (std::size_t i = 0; i < reached.size(); i++)
      ASSERT_EQ(std::isnan(float(trial.result[i])), reached[i]) << "element " << i;
  }
}

/// Without images, filters or channels there is nothing to do, or sums of nothing.
TEST(Convolutions, Empty) {
  for (const Of of : {Of::result, Of::images, Of::filters}) {
    ConvolutionCase test = cases[1];
    test.of = of;
    test.images = 0;
    test_convolution<f16>(test);
    test = cases[1], test.of = of;
    test.filters = 0;
    test_convolution<f16>(test);
    test = cases[1], test.of = of;
    test.channels = 0;
    test_convolution<f16>(test);
  }
}

TEST(Convolutions, RefuseWhatNoKernelTakes) {
  Trial<f16> trial(cases[1]);
  const auto error_of = [&](auto change) {
    Trial<f16> wrong(cases[1]);
    change(wrong.test);
    return wrong.launch();
  };
  EXPECT_EQ(error_of([](ConvolutionCase& t) { t.groups = 3; }),
            "convolution: 24 filters and 16 channels are not of 3 equal groups");
  EXPECT_EQ(error_of([](ConvolutionCase& t) { t.padding[0] = -1; }),
            "convolution: strides and dilations must be 1 or more, padding 0 or more");
  EXPECT_EQ(error_of([](ConvolutionCase& t) { t.result_stride = 7; }),
            "convolution: pixels overlap: a stride is less than the channels");
  const auto run = [&](int images, int height) {
    ConvolutionCase test = cases[1];
    test.images = images, test.height = height;
    return run_convolution_f16(test, trial.images.data(), trial.filters.data(),
                               trial.result.data());
  };
  EXPECT_EQ(run(1 << 20, 1 << 12), "convolution: there are more than 2^31 pixels");
  EXPECT_EQ(
      run(1000, 1 << 15),
      "convolution: 256 images, or the filters, have 2952790016 bytes: kernels take less than "
      "2^31");
  EXPECT_EQ(run_convolution_f16(cases[1], nullptr, trial.filters.data(), trial.result.data()),
            "convolution: images is a null pointer");
}

/// Each kernel once, for kpi.toml, which looks on.
TEST(Convolutions, DISABLED_EachKernel) {
  ConvolutionCase test{.images = 4,
                       .height = 32,
                       .width = 32,
                       .channels = 128,
                       .filters = 256,
                       .taps = {3, 3},
                       .padding = {1, 1}};
  for (const Tiles tiles : {Tiles::large, Tiles::medium, Tiles::small}) {
    test.tiles = tiles;
    EXPECT_EQ(Trial<f16>(test).launch(), "");
  }
  EXPECT_EQ(Trial<bf16>(test).launch(), "");
  test.of = Of::images;
  EXPECT_EQ(Trial<f16>(test).launch(), "");
  test.of = Of::filters;
  EXPECT_EQ(Trial<f16>(test).launch(), "");
  test.of = Of::images, test.stride[0] = test.stride[1] = 2;
  EXPECT_EQ(Trial<f16>(test).launch(), "");
  test.of = Of::filters, test.shared_depth = true, test.channels = 16, test.filters = 40;
  test.stride[0] = test.stride[1] = 1;
  EXPECT_EQ(Trial<f16>(test).launch(), "");
}

}  // namespace
