// What devices and contexts say of themselves, and of kernels on them.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <thread>

#include "api_fixture.h"
#include "kernels.h"

namespace {

using Devices = ApiTest;

TEST_F(Devices, PropertiesOfAnMi300x) {
  int count = 0;
  ASSERT_EQ(hipGetDeviceCount(&count), hipSuccess);
  EXPECT_EQ(count, 1);
  hipDeviceProp_t p{};  // the layout of HIP 5
  ASSERT_EQ(hipGetDeviceProperties(&p, 0), hipSuccess);
  EXPECT_STREQ(p.name, "AMD Instinct MI300X");
  EXPECT_STREQ(p.gcnArchName, "gfx942:sramecc+:xnack-");
  EXPECT_EQ(p.warpSize, 64);
  EXPECT_EQ(p.multiProcessorCount, 304);
  EXPECT_EQ(p.totalGlobalMem, 206158430208u);
  EXPECT_EQ(p.sharedMemPerBlock, 65536u);
  EXPECT_EQ(p.maxThreadsPerBlock, 1024);
  EXPECT_EQ(p.major, 9);
  EXPECT_EQ(p.minor, 4);
  EXPECT_EQ(p.clockRate, 2100000);
  EXPECT_EQ(p.l2CacheSize, 4 << 20);
  EXPECT_EQ(p.memoryBusWidth, 8192);
  EXPECT_EQ(p.maxThreadsPerMultiProcessor, 2048);
  EXPECT_EQ(hipGetDeviceProperties(&p, 1), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetDeviceProperties(&p, -1), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetDeviceProperties(nullptr, 0), hipErrorInvalidValue);
}

TEST_F(Devices, AttributesAgreeWithProperties) {
  hipDeviceProp_t p{};
  ASSERT_EQ(hipGetDeviceProperties(&p, 0), hipSuccess);
  const auto attribute = [](hipDeviceAttribute_t which) {
    int value = -1;
    EXPECT_EQ(hipDeviceGetAttribute(&value, which, 0), hipSuccess);
    return value;
  };
  EXPECT_EQ(attribute(hipDeviceAttributeWarpSize), p.warpSize);
  EXPECT_EQ(attribute(hipDeviceAttributeMultiprocessorCount), p.multiProcessorCount);
  EXPECT_EQ(attribute(hipDeviceAttributeMaxThreadsPerBlock), p.maxThreadsPerBlock);
  EXPECT_EQ(attribute(hipDeviceAttributeMaxSharedMemoryPerBlock), int(p.sharedMemPerBlock));
  EXPECT_EQ(attribute(hipDeviceAttributeComputeCapabilityMajor), p.major);
  EXPECT_EQ(attribute(hipDeviceAttributeComputeCapabilityMinor), p.minor);
  EXPECT_EQ(attribute(hipDeviceAttributeClockRate), p.clockRate);
  EXPECT_EQ(attribute(hipDeviceAttributeMaxGridDimX), p.maxGridSize[0]);
  EXPECT_EQ(attribute(hipDeviceAttributeCooperativeLaunch), p.cooperativeLaunch);
  EXPECT_EQ(attribute(hipDeviceAttributeMemoryPoolsSupported), 1);
  int value = 0;
  EXPECT_EQ(hipDeviceGetAttribute(&value, static_cast<hipDeviceAttribute_t>(9000), 0),
            hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 7), hipErrorInvalidDevice);
}

TEST_F(Devices, HoldNoBlockThatWantsMoreLdsThanThereIs) {
  int blocks = 9;
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale_stub(), 64, 65536),
            hipSuccess);
  EXPECT_EQ(blocks, 1);
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale_stub(), 64, 65537),
            hipSuccess);
  EXPECT_EQ(blocks, 0);
  EXPECT_EQ(
      hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, scale_stub(), 64, 0, 0xffff),
      hipErrorInvalidValue);
}

TEST_F(Devices, HoldWhatTheLdsHasRoomFor) {
  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
  ASSERT_EQ(hipModuleLoad(&module, HIPSIGHT_TEST_FILES "/kernels_gfx942.co"), hipSuccess);
  ASSERT_EQ(hipModuleGetFunction(&function, module, "_Z9fixed_ldsPi"), hipSuccess);
  const auto blocks = [&](std::size_t dynamic_lds) {  // of one wave, with 4096 bytes of LDS
    int count = -1;
    EXPECT_EQ(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&count, function, 64, dynamic_lds),
              hipSuccess);
    return count;
  };
  EXPECT_EQ(blocks(0), 65536 / 4096);
  EXPECT_EQ(blocks(12288), 65536 / 16384);
  EXPECT_EQ(blocks(61440), 1);
  EXPECT_EQ(blocks(61441), 0);
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
  int count = 0;
  EXPECT_EQ(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&count, function, 64, 0),
            hipErrorInvalidHandle);
}

TEST_F(Devices, SuggestTheFewestBlocksThatFillThem) {
  // Each of an MI300X's 304 compute units holds 2048 work-items.
  int grid = 0, block = 0;
  ASSERT_EQ(hipOccupancyMaxPotentialBlockSize(&grid, &block, scale_stub(), 0, 0), hipSuccess);
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 2 * 304);
  ASSERT_EQ(hipOccupancyMaxPotentialBlockSize(&grid, &block, scale_stub(), 0, 256), hipSuccess);
  EXPECT_EQ(block, 256);
  EXPECT_EQ(grid, 8 * 304);
  ASSERT_EQ(hipOccupancyMaxPotentialBlockSize(&grid, &block, scale_stub(), 40000, 0), hipSuccess);
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 304);  // the LDS has room for one
  ASSERT_EQ(hipOccupancyMaxPotentialBlockSize(&grid, &block, bounded_stub(), 0, 0), hipSuccess);
  EXPECT_EQ(block, 64);
}

TEST_F(Devices, SayWhatKernelsTake) {
  hipFuncAttributes fixed{}, bounded{};
  ASSERT_EQ(hipFuncGetAttributes(&fixed, fixed_lds_stub()), hipSuccess);
  EXPECT_EQ(fixed.sharedSizeBytes, 4096u);
  EXPECT_EQ(fixed.maxDynamicSharedSizeBytes, 65536 - 4096);
  EXPECT_EQ(fixed.maxThreadsPerBlock, 1024);
  EXPECT_EQ(fixed.localSizeBytes, 0u);
  EXPECT_EQ(fixed.binaryVersion, 94);  // gfx942
  EXPECT_GT(fixed.numRegs, 0);
  EXPECT_LE(fixed.numRegs, 512);
  ASSERT_EQ(hipFuncGetAttributes(&bounded, bounded_stub()), hipSuccess);
  EXPECT_EQ(bounded.maxThreadsPerBlock, 64);
  EXPECT_EQ(bounded.sharedSizeBytes, 0u);
  EXPECT_EQ(hipFuncGetAttributes(&fixed, nullptr), hipErrorInvalidDeviceFunction);
  EXPECT_EQ(hipFuncGetAttributes(nullptr, bounded_stub()), hipErrorInvalidValue);

  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
  ASSERT_EQ(hipModuleLoad(&module, HIPSIGHT_TEST_FILES "/kernels_gfx942.co"), hipSuccess);
  ASSERT_EQ(hipModuleGetFunction(&function, module, "_Z9fixed_ldsPi"), hipSuccess);
  const auto get = [&](hipFunction_attribute which) {
    int value = -1;
    EXPECT_EQ(hipFuncGetAttribute(&value, which, function), hipSuccess);
    return value;
  };
  EXPECT_EQ(get(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 4096);
  EXPECT_EQ(get(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), 65536 - 4096);
  EXPECT_EQ(get(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
  EXPECT_EQ(get(HIP_FUNC_ATTRIBUTE_NUM_REGS), fixed.numRegs);
  EXPECT_EQ(get(HIP_FUNC_ATTRIBUTE_BINARY_VERSION), 94);
  int value = 0;
  EXPECT_EQ(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX, function), hipErrorInvalidValue);
  EXPECT_EQ(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, nullptr),
            hipErrorInvalidHandle);
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
}

TEST_F(Devices, RememberTheDynamicLdsThatAKernelAsksFor) {
  const auto set = [](hipFuncAttribute which, int value) {
    return hipFuncSetAttribute(fixed_lds_stub(), which, value);
  };
  const auto most = [] {
    hipFuncAttributes attributes{};
    EXPECT_EQ(hipFuncGetAttributes(&attributes, fixed_lds_stub()), hipSuccess);
    return attributes.maxDynamicSharedSizeBytes;
  };
  ASSERT_EQ(set(hipFuncAttributeMaxDynamicSharedMemorySize, 1024), hipSuccess);
  EXPECT_EQ(most(), 1024);
  EXPECT_EQ(set(hipFuncAttributeMaxDynamicSharedMemorySize, -1), hipErrorInvalidValue);
  EXPECT_EQ(set(hipFuncAttributeMaxDynamicSharedMemorySize, 61441), hipErrorInvalidValue);
  EXPECT_EQ(most(), 1024);
  ASSERT_EQ(set(hipFuncAttributeMaxDynamicSharedMemorySize, 61440), hipSuccess);
  EXPECT_EQ(most(), 61440);
  EXPECT_EQ(set(hipFuncAttributePreferredSharedMemoryCarveout, -2), hipErrorInvalidValue);
  EXPECT_EQ(set(hipFuncAttributePreferredSharedMemoryCarveout, 101), hipErrorInvalidValue);
  EXPECT_EQ(set(hipFuncAttributePreferredSharedMemoryCarveout, 50), hipSuccess);
  EXPECT_EQ(set(static_cast<hipFuncAttribute>(hipFuncAttributeMax + 1), 0), hipErrorInvalidValue);
  EXPECT_EQ(hipFuncSetAttribute(nullptr, hipFuncAttributePreferredSharedMemoryCarveout, 50),
            hipErrorInvalidDeviceFunction);
}

// "AMD devices … these hints and controls are ignored" (hip_runtime_api.h).
TEST_F(Devices, TakeNoHintsOnCachesAndBanks) {
  hipFuncCache_t cache = hipFuncCachePreferShared;
  ASSERT_EQ(hipDeviceSetCacheConfig(hipFuncCachePreferL1), hipSuccess);
  ASSERT_EQ(hipDeviceGetCacheConfig(&cache), hipSuccess);
  EXPECT_EQ(cache, hipFuncCachePreferNone);
  EXPECT_EQ(hipDeviceSetCacheConfig(static_cast<hipFuncCache_t>(4)), hipErrorInvalidValue);
  hipSharedMemConfig banks = hipSharedMemBankSizeDefault;
  ASSERT_EQ(hipDeviceSetSharedMemConfig(hipSharedMemBankSizeEightByte), hipSuccess);
  ASSERT_EQ(hipDeviceGetSharedMemConfig(&banks), hipSuccess);
  EXPECT_EQ(banks, hipSharedMemBankSizeFourByte);
  EXPECT_EQ(hipDeviceSetSharedMemConfig(static_cast<hipSharedMemConfig>(3)), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceGetSharedMemConfig(nullptr), hipErrorInvalidValue);
  hipFuncAttributes before{}, after{};
  ASSERT_EQ(hipFuncGetAttributes(&before, scale_stub()), hipSuccess);
  ASSERT_EQ(hipFuncSetCacheConfig(scale_stub(), hipFuncCachePreferL1), hipSuccess);
  ASSERT_EQ(hipFuncGetAttributes(&after, scale_stub()), hipSuccess);
  EXPECT_EQ(after.maxDynamicSharedSizeBytes, before.maxDynamicSharedSizeBytes);
  EXPECT_EQ(hipFuncSetCacheConfig(scale_stub(), static_cast<hipFuncCache_t>(4)),
            hipErrorInvalidValue);
  EXPECT_EQ(hipFuncSetCacheConfig(nullptr, hipFuncCachePreferL1), hipErrorInvalidDeviceFunction);
}

TEST_F(Devices, ScheduleFlagsAreOfTheDeviceNotOfTheThread) {
  ASSERT_EQ(hipSetDeviceFlags(hipDeviceScheduleYield | hipDeviceMapHost), hipSuccess);
  std::thread([] {
    unsigned flags = 0;
    EXPECT_EQ(hipGetDeviceFlags(&flags), hipSuccess);
    EXPECT_EQ(flags, static_cast<unsigned>(hipDeviceScheduleYield));
  }).join();
  EXPECT_EQ(hipSetDeviceFlags(0x100), hipErrorInvalidValue);
  ASSERT_EQ(hipSetDeviceFlags(hipDeviceScheduleAuto), hipSuccess);
}

TEST_F(Devices, NamesAndNumbers) {
  char name[64], bus[16];
  ASSERT_EQ(hipDeviceGetName(name, sizeof name, 0), hipSuccess);
  EXPECT_STREQ(name, "AMD Instinct MI300X");
  ASSERT_EQ(hipDeviceGetName(name, 4, 0), hipSuccess);
  EXPECT_STREQ(name, "AMD");
  ASSERT_EQ(hipDeviceGetPCIBusId(bus, sizeof bus, 0), hipSuccess);
  int device = -1;
  EXPECT_EQ(hipDeviceGetByPCIBusId(&device, bus), hipSuccess);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(hipDeviceGetByPCIBusId(&device, "nonsense"), hipErrorInvalidValue);
  EXPECT_EQ(hipDeviceGetPCIBusId(bus, 5, 0), hipErrorInvalidValue);
  std::size_t bytes = 0;
  EXPECT_EQ(hipDeviceTotalMem(&bytes, 0), hipSuccess);
  EXPECT_EQ(bytes, 206158430208u);
  EXPECT_EQ(hipSetDevice(1), hipErrorInvalidDevice);
  int can = -1;
  EXPECT_EQ(hipDeviceCanAccessPeer(&can, 0, 0), hipSuccess);
  EXPECT_EQ(can, 0);
  std::size_t limit = 0;
  EXPECT_EQ(hipDeviceSetLimit(hipLimitMallocHeapSize, 1 << 20), hipSuccess);
  EXPECT_EQ(hipDeviceGetLimit(&limit, hipLimitMallocHeapSize), hipSuccess);
  EXPECT_EQ(limit, std::size_t{1} << 20);
}

TEST_F(Devices, ContextsStandForDevices) {
  hipCtx_t context = nullptr;
  ASSERT_EQ(hipDevicePrimaryCtxRetain(&context, 0), hipSuccess);
  EXPECT_EQ(hipCtxSetCurrent(context), hipSuccess);
  EXPECT_EQ(hipCtxSetCurrent(reinterpret_cast<hipCtx_t>(0x77)), hipErrorInvalidContext);
  hipDevice_t device = -1;
  EXPECT_EQ(hipCtxGetDevice(&device), hipSuccess);
  EXPECT_EQ(device, 0);
}

TEST_F(Devices, APrimaryContextIsAlwaysThere) {
  unsigned flags = 77;
  int active = 77;
  hipCtx_t context = nullptr;
  ASSERT_EQ(hipSetDeviceFlags(hipDeviceScheduleYield), hipSuccess);
  ASSERT_EQ(hipDevicePrimaryCtxRetain(&context, 0), hipSuccess);
  EXPECT_EQ(hipDevicePrimaryCtxSetFlags(0, hipDeviceScheduleSpin), hipErrorContextAlreadyInUse);
  ASSERT_EQ(hipGetDeviceFlags(&flags), hipSuccess);
  EXPECT_EQ(flags, static_cast<unsigned>(hipDeviceScheduleYield));
  ASSERT_EQ(hipSetDeviceFlags(hipDeviceScheduleAuto), hipSuccess);
  // What is in it outlives its release, which does not release it "by design" (the header).
  DeviceArray<int> a(1);
  ASSERT_EQ(hipMemset(a.data, 1, 4), hipSuccess);
  ASSERT_EQ(hipDevicePrimaryCtxRelease(0), hipSuccess);
  ASSERT_EQ(hipDevicePrimaryCtxGetState(0, &flags, &active), hipSuccess);
  EXPECT_EQ(flags, 0u);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(hipCtxSetCurrent(context), hipSuccess);
  int value = 0;
  EXPECT_EQ(hipMemcpy(&value, a.data, 4, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(value, 0x01010101);
  for (const int device : {-1, 1}) {
    EXPECT_EQ(hipDevicePrimaryCtxGetState(device, &flags, &active), hipErrorInvalidDevice);
    EXPECT_EQ(hipDevicePrimaryCtxRelease(device), hipErrorInvalidDevice);
    EXPECT_EQ(hipDevicePrimaryCtxSetFlags(device, 0), hipErrorInvalidDevice);
  }
}

TEST_F(Devices, VersionsAndProcAddress) {
  int version = 0;
  ASSERT_EQ(hipRuntimeGetVersion(&version), hipSuccess);
  EXPECT_EQ(version / 10000000, 5);  // this test links the library of HIP 5
}

}  // namespace
