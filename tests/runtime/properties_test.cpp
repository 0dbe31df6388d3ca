// What HIP reports of each GPU: by our own headers, since the SDK's have one of the two layouts.
#include <gtest/gtest.h>

#include "runtime/device.h"

namespace hipsight::runtime {
namespace {

class Properties : public testing::TestWithParam<std::string> {
 protected:
  gpus::Gpu gpu = gpus::find(GetParam());
  hipDeviceProp_tR0600 now = properties(gpu, 0);
  hipDeviceProp_tR0000 before = properties_before_6(gpu, 0);
};
INSTANTIATE_TEST_SUITE_P(Gpu, Properties,
                         testing::Values("mi210", "mi250x", "mi300a", "mi300x", "mi308x", "mi325x",
                                         "mi355x", "rx7900xtx", "rx9070xt", "strix_halo"),
                         [](const auto& info) { return info.param; });

TEST_P(Properties, SayWhoseMemoryIsTheHosts) {
  EXPECT_EQ(now.integrated, GetParam() == "mi300a" || GetParam() == "strix_halo");
  EXPECT_EQ(before.integrated, now.integrated);
}

// Programs work out 2 x clock x width / 8: what the memory gives at two bits a clock and pin. HBM
// gives twice that, GDDR6 eight times, LPDDR5X four times.
TEST_P(Properties, GiveTheMemorysBandwidth) {
  const double gb_per_s = 2e-6 * now.memoryClockRate * now.memoryBusWidth / 8;
  const double rounds = GetParam() == "mi210" || GetParam() == "mi250x" ? 1
                        : GetParam().starts_with("mi")                  ? 2
                        : GetParam().starts_with("rx")                  ? 8
                                                                        : 4;
  EXPECT_NEAR(gb_per_s * rounds, gpu.dram_gb_per_s, 0.03 * gpu.dram_gb_per_s);
  EXPECT_EQ(before.memoryClockRate, now.memoryClockRate);
  EXPECT_EQ(before.memoryBusWidth, now.memoryBusWidth);
}

// hipInfo's listings: gfx906 65536 (256 registers of 64 lanes on four SIMDs), gfx1100 196608.
TEST_P(Properties, CountTheRegistersOfAMultiprocessor) {
  EXPECT_EQ(now.regsPerBlock, GetParam().starts_with("mi") ? 512 * 64 * 4 : 1536 * 32 * 4);
  EXPECT_EQ(before.regsPerBlock, now.regsPerBlock);
}

}  // namespace
}  // namespace hipsight::runtime
