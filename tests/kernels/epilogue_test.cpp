// Epilogues against their definitions in float64.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hipsight/kernels/gemm/on_host.h"

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

/// In each batch its own, by single values and by several.
TEST(Epilogue, PerBatch) {
  constexpr int batches = 3, rows = 5, columns = 40;
  const RowMajor<const float> nothing{nullptr, rows, 0, 0};
  float bias[batches * columns], of_row[batches * 8], of_column[batches * 64], of_all[batches];
  for (int i = 0; i < batches * columns; i++) bias[i] = static_cast<float>(i);
  for (int i = 0; i < batches * 8; i++) of_row[i] = static_cast<float>(i + 1);
  for (int i = 0; i < batches * 64; i++) of_column[i] = static_cast<float>(i % 7 + 1);
  for (int i = 0; i < batches; i++) of_all[i] = static_cast<float>(i * i + 1);
  float c[batches * rows * columns];
  ASSERT_TRUE(gemm_on_host(nothing, RowMajor<const float>{nullptr, 0, columns, columns},
                           RowMajor<float>{c, rows, columns, columns, rows * columns},
                           PerBatch(Bias(bias), columns) | PerBatch(ScaleRows{of_row}, 8) |
                               PerBatch(ScaleColumns{of_column}, 64) |
                               PerBatch(ScaleAll{of_all}, 1),
                           batches));
  for (int b = 0; b < batches; b++)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++)
        ASSERT_EQ(c[(b * rows + i) * columns + j],
                  bias[b * columns + j] * of_row[b * 8 + i] * of_column[b * 64 + j] * of_all[b])
            << b << " " << i << " " << j;
}

}  // namespace
}  // namespace hipsight::kernels
