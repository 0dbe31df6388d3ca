// Epilogues against their definitions in float64.
#include "hipsight/kernels/gemm/epilogue.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hipsight::kernels {
namespace {

constexpr ResultPlace place{.batch = 1, .row = 2, .column = 3};
constexpr float infinity = std::numeric_limits<float>::infinity();

/// Everywhere within 2^-20 of the larger of the result and 1, by which it is used.
template <class E>
void expect_near(const E& epilogue, double (*definition)(double)) {
  for (int i = -3200; i < 3200; i++) {
    const float x = static_cast<float>(i) / 16;
    const double want = definition(double(x));
    EXPECT_NEAR(epilogue(x, place), want, std::fmax(1, std::fabs(want)) * 0x1p-20) << x;
  }
  EXPECT_EQ(epilogue(infinity, place), infinity);
  EXPECT_EQ(epilogue(-infinity, place), 0.0f);
  EXPECT_TRUE(std::isnan(epilogue(std::nanf(""), place)));
}

TEST(Epilogue, Relu) {
  expect_near(Relu{}, [](double x) { return x > 0 ? x : 0; });
}

TEST(Epilogue, Gelu) {
  expect_near(Gelu{}, [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  });
}

TEST(Epilogue, Silu) {
  expect_near(Silu{}, [](double x) { return x / (1 + std::exp(-x)); });
}

/// In the order in which they stand, each with the place.
TEST(Epilogue, Chain) {
  const float bias[] = {0, 0, 0, -7};
  const float other[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100};
  const RowMajor<const float> residual{other, 3, 4, 4, 8};
  EXPECT_EQ((Scale{2} | Bias(bias) | Relu{})(5, place), 3.0f);
  EXPECT_EQ((Bias(bias) | Scale{2} | Relu{})(5, place), 0.0f);
  EXPECT_EQ((Identity{} | Residual(residual))(5, place), 105.0f);
  EXPECT_EQ((Relu{} | Multiply(residual) | Scale{2})(5, place), 1000.0f);
}

}  // namespace
}  // namespace hipsight::kernels
