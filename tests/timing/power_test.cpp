// Clocks that others have measured under load.
#include "timing/power.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hipsight::timing {
namespace {

using testing::AllOf;
using testing::Gt;
using testing::Lt;

/// Within so much of it, of 1.
auto about(double value, double part) {
  return AllOf(Gt(value * (1 - part)), Lt(value * (1 + part)));
}

// RRZE-HPC/gpu-benches, gpu-roofline on MI300X: rows of little memory traffic, at 750 W.
TEST(Power, clocks_under_vector_load_are_those_of_a_roofline_run) {
  struct Row {
    double gb_per_s, gflops, clock_ghz;
  };
  const gpus::Gpu gpu = gpus::find("mi300x");
  for (const Row& row : {Row{1018, 82230, 1.259}, Row{764, 85721, 1.292}, Row{508, 79101, 1.427},
                         Row{382, 82440, 1.476}}) {
    const Activity activity{.pj_per_cycle = row.gflops / row.clock_ghz * *gpu.vector_pj,
                            .memory_gb_per_s = row.gb_per_s};
    EXPECT_THAT(clock_under(gpu, activity), about(row.clock_ghz, 0.08)) << row.gflops;
  }
}

// AMD's max-achievable FLOPS on MI300X (ROCm blogs), were the matrix units busy 90 % of the time.
TEST(Power, matrix_rates_are_those_that_amd_achieves) {
  const gpus::Gpu gpu = gpus::find("mi300x");
  const std::pair<const char*, double> achieved[] = {{"bf16", 708}, {"f16", 654}, {"fp8", 1273}};
  for (const auto& [type, tflops] : achieved) {
    const gpus::Gpu::Rate& rate = *gpu.rate(type);
    const double per_cycle = 0.9 * *rate.matrix * gpu.compute_units;
    const double clock = clock_under(
        gpu, {.pj_per_cycle = per_cycle * matrix_pj(gpu, rate), .memory_gb_per_s = 1000});
    EXPECT_THAT(per_cycle * clock * 1e-3, about(tflops, 0.03)) << type;
  }
}

TEST(Power, the_clock_is_the_peak_where_power_allows_it_or_is_not_known) {
  gpus::Gpu gpu = gpus::find("mi300x");
  EXPECT_EQ(clock_under(gpu, {}), gpu.clock_ghz);
  EXPECT_LT(clock_under(gpu, {.pj_per_cycle = 1e6}), gpu.clock_ghz);
  EXPECT_EQ(clock_under(gpu, {.pj_per_cycle = 1e12}), 0.25 * gpu.clock_ghz);
  gpu.power_watts.reset();
  EXPECT_EQ(clock_under(gpu, {.pj_per_cycle = 1e6}), gpu.clock_ghz);
}

TEST(Power, a_type_without_an_energy_needs_as_much_a_cycle_as_the_worst) {
  const gpus::Gpu gpu = gpus::find("mi355x");
  const gpus::Gpu::Rate &fp4 = *gpu.rate("fp4"), &fp8 = *gpu.rate("fp8");
  EXPECT_DOUBLE_EQ(matrix_pj(gpu, fp4) * *fp4.matrix, *fp8.matrix_pj * *fp8.matrix);
}

}  // namespace
}  // namespace hipsight::timing
