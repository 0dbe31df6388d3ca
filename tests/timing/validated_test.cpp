// How far off predictions of a family are.
#include "timing/validated.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hipsight::timing {
namespace {

TEST(ModelErrors, OfAFamilyOnItsGpuOnly) {
  ASSERT_NE(error_of("mi308x", "scaled GEMM, fp8"), nullptr);
  EXPECT_GE(error_of("mi308x", "scaled GEMM, fp8")->points, enough_points);
  EXPECT_EQ(error_of("rx9070xt", "scaled GEMM, fp8"), nullptr);
  EXPECT_EQ(error_of("mi308x", "GEMM, fp8"), nullptr);
  EXPECT_EQ(error_of("mi300x", ""), nullptr);
}

TEST(ModelErrors, BoundMeasuredTimes) {
  const ModelError quarter{.p90 = 25}, all{.p90 = 100};
  Prediction prediction;
  prediction.seconds = 3;
  prediction.error = &quarter;
  EXPECT_EQ(prediction.seconds_between(), (std::array{2.4, 4.0}));
  prediction.error = &all;
  EXPECT_TRUE(std::isinf(prediction.seconds_between()[1]));
}

}  // namespace
}  // namespace hipsight::timing
