// What HIP reports of each GPU: by our own headers, since the SDK's have one of the two layouts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

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
                                         "mi350x", "mi355x", "rx7900xtx", "rx9070xt", "strix_halo"),
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

// What HIP 5's hipInfo prints: "gcnArch: 910" beside gfx90a.
TEST_P(Properties, NumberTheProcessor) {
  const std::string processor = gpu.target_id.substr(0, gpu.target_id.find(':'));
  const std::map<std::string, int> number{{"gfx90a", 910},   {"gfx942", 942},   {"gfx950", 950},
                                          {"gfx1100", 1100}, {"gfx1151", 1151}, {"gfx1201", 1201}};
  EXPECT_EQ(before.gcnArch, number.at(processor));
}

// As AMD's runtime sets them on each of these GPUs (ROCm clr, hip_device.cpp; device.cpp of
// ROCclr).
TEST_P(Properties, AreRocmsConstants) {
  const auto are = [](const auto& values, std::initializer_list<int> wanted) {
    return std::ranges::equal(values, wanted);
  };
  EXPECT_TRUE(are(now.maxGridSize, {0x7fffffff, 65536, 65536}));
  EXPECT_TRUE(are(now.maxThreadsDim, {1024, 1024, 1024}));
  EXPECT_TRUE(are(now.maxTexture2D, {16384, 16384}));
  EXPECT_TRUE(are(now.maxTexture3D, {16384, 16384, 8192}));
  EXPECT_TRUE(are(now.maxTexture1DLayered, {16384, 2048}));
  EXPECT_TRUE(are(now.maxTexture2DLayered, {16384, 16384, 2048}));
  EXPECT_TRUE(are(now.maxSurface2DLayered, {16384, 16384, 2048}));
  EXPECT_TRUE(are(now.maxTexture2DLinear, {16384, 16384, 262144}));
  EXPECT_EQ(now.maxBlocksPerMultiProcessor, now.maxThreadsPerMultiProcessor / now.warpSize);
  EXPECT_EQ(now.textureAlignment, 256u);
  EXPECT_EQ(now.texturePitchAlignment, 256u);
  EXPECT_EQ(now.totalConstMem, 0x7fffffffu);
  EXPECT_EQ(now.memPitch, 0x7fffffffu);
  EXPECT_EQ(now.ECCEnabled, 0);  // whether there is any or not
  EXPECT_EQ(now.kernelExecTimeoutEnabled, 0);
  EXPECT_EQ(now.computeMode, 0);
}

// By rocminfo's listings of these boards.
TEST_P(Properties, NameTheRevision) {
  const std::map<std::string, int> known{{"mi210", 1},     {"mi250x", 1},   {"mi300a", 1},
                                         {"mi300x", 1},    {"mi308x", 1},   {"mi325x", 1},
                                         {"rx7900xtx", 0}, {"rx9070xt", 1}, {"strix_halo", 0}};
  const auto listed = known.find(GetParam());
  EXPECT_EQ(now.asicRevision, listed == known.end() ? 0 : listed->second);
}

// Both layouts say the same of a GPU, but for what HIP 5 says otherwise.
TEST_P(Properties, AreTheSameInBothLayouts) {
  const auto same = [](const auto& a, const auto& b, const char* field) {
    // Bits are what a layout is made of. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    EXPECT_EQ(std::memcmp(&a, &b, std::min(sizeof a, sizeof b)), 0) << field;
  };
#define SAME(field) same(now.field, before.field, #field)
  SAME(name), SAME(totalGlobalMem), SAME(sharedMemPerBlock), SAME(regsPerBlock), SAME(warpSize);
  SAME(maxThreadsPerBlock), SAME(maxThreadsDim), SAME(maxGridSize), SAME(clockRate);
  SAME(memoryClockRate), SAME(memoryBusWidth), SAME(totalConstMem), SAME(major), SAME(minor);
  SAME(multiProcessorCount), SAME(l2CacheSize), SAME(maxThreadsPerMultiProcessor);
  SAME(computeMode), SAME(clockInstructionRate), SAME(arch), SAME(concurrentKernels);
  SAME(pciDomainID), SAME(pciBusID), SAME(pciDeviceID), SAME(maxSharedMemoryPerMultiProcessor);
  SAME(isMultiGpuBoard), SAME(canMapHostMemory), SAME(gcnArchName), SAME(integrated);
  SAME(cooperativeLaunch), SAME(cooperativeMultiDeviceLaunch), SAME(maxTexture1DLinear);
  SAME(maxTexture1D), SAME(maxTexture2D), SAME(maxTexture3D), SAME(hdpMemFlushCntl);
  SAME(hdpRegFlushCntl), SAME(memPitch), SAME(textureAlignment), SAME(texturePitchAlignment);
  SAME(kernelExecTimeoutEnabled), SAME(ECCEnabled), SAME(tccDriver);
  SAME(cooperativeMultiDeviceUnmatchedFunc), SAME(cooperativeMultiDeviceUnmatchedGridDim);
  SAME(cooperativeMultiDeviceUnmatchedBlockDim), SAME(cooperativeMultiDeviceUnmatchedSharedMem);
  SAME(isLargeBar), SAME(asicRevision), SAME(managedMemory), SAME(directManagedMemAccessFromHost);
  SAME(concurrentManagedAccess), SAME(pageableMemoryAccess);
#undef SAME
  EXPECT_EQ(before.pageableMemoryAccessUsesHostPageTables, before.integrated);
}

}  // namespace
}  // namespace hipsight::runtime
