// Two emulated GPUs in one process, and several host threads.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "kernels.h"

namespace {

// Before the first call of HIP, which makes the devices.
const int two_devices = setenv("HIPSIGHT_GPUS", "2", 1);

constexpr const char* code_object = HIPSIGHT_TEST_FILES "/kernels_gfx942.co";

class PeerTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(hipSetDevice(0), hipSuccess); }
  void TearDown() override { (void)hipSetDevice(0); }
};

hipFunction_t load(hipModule_t* module, const char* kernel) {
  hipFunction_t function = nullptr;
  EXPECT_EQ(hipModuleLoad(module, code_object), hipSuccess);
  EXPECT_EQ(hipModuleGetFunction(&function, *module, kernel), hipSuccess);
  return function;
}

hipError_t store(hipFunction_t function, int* where, int value, hipStream_t stream = nullptr) {
  auto parameters = pointers(where, value);
  return hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters.data(), nullptr);
}

/// Runs in a process of its own, where HIP is not yet in use.
[[noreturn]] void init_as_mi210() {
  setenv("HIPSIGHT_GPU", "mi210", 1);
  const bool refused = hipInit(1) == hipErrorInvalidValue;
  const bool ready = hipInit(0) == hipSuccess;
  setenv("HIPSIGHT_GPU", "mi300x", 1);
  char name[64] = "";
  const bool named = hipDeviceGetName(name, sizeof name, 0) == hipSuccess;
  std::exit(refused && ready && named && std::strcmp(name, "AMD Instinct MI210") == 0 ? 0 : 1);
}

TEST(Initialization, MakesTheDevicesThatTheEnvironmentAsksFor) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(init_as_mi210(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void count_with(const char* variable, const char* value) {
  setenv(variable, value, 1);
  int count = 0;
  std::exit(hipGetDeviceCount(&count) == hipSuccess ? count : 100);
}

TEST(Initialization, BadValuesAndUnknownVariablesAreNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(count_with("HIPSIGHT_GPUS", "many"), testing::ExitedWithCode(100),
              "hipsight: HIPSIGHT_GPUS=many: it takes a whole number from 1 to 64");
  EXPECT_EXIT(count_with("HIPSIGHT_THREAD", "2"), testing::ExitedWithCode(2),
              "nothing reads HIPSIGHT_THREAD; the nearest that there is: HIPSIGHT_THREADS");
}

TEST_F(PeerTest, EachDeviceHasItsOwnMemory) {
  int count = 0;
  ASSERT_EQ(hipGetDeviceCount(&count), hipSuccess);
  ASSERT_EQ(count, 2);
  std::size_t free[2], total = 0;
  void* memory = nullptr;
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  ASSERT_EQ(hipMalloc(&memory, 1 << 20), hipSuccess);
  for (int device : {0, 1}) {
    ASSERT_EQ(hipSetDevice(device), hipSuccess);
    ASSERT_EQ(hipMemGetInfo(&free[device], &total), hipSuccess);
  }
  EXPECT_EQ(free[0] - free[1], 1u << 20);
  hipPointerAttribute_t attributes{};
  ASSERT_EQ(hipPointerGetAttributes(&attributes, memory), hipSuccess);
  EXPECT_EQ(attributes.device, 1);
  EXPECT_EQ(hipFree(memory), hipSuccess);
  char first[16], second[16];
  ASSERT_EQ(hipDeviceGetPCIBusId(first, sizeof first, 0), hipSuccess);
  ASSERT_EQ(hipDeviceGetPCIBusId(second, sizeof second, 1), hipSuccess);
  EXPECT_STRNE(first, second);
}

TEST_F(PeerTest, AccessIsEnabledOnce) {
  int can = 0;
  ASSERT_EQ(hipDeviceCanAccessPeer(&can, 0, 1), hipSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipSuccess);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipSuccess);
  EXPECT_EQ(hipDeviceEnablePeerAccess(0, 0), hipErrorInvalidDevice);
  EXPECT_EQ(hipDeviceEnablePeerAccess(2, 0), hipErrorInvalidDevice);
}

TEST_F(PeerTest, ContextsEnableAccessForTheirDevices) {
  hipCtx_t contexts[2];
  for (const int device : {0, 1})
    ASSERT_EQ(hipDevicePrimaryCtxRetain(&contexts[device], device), hipSuccess);
  ASSERT_EQ(hipCtxEnablePeerAccess(contexts[1], 0), hipSuccess);
  EXPECT_EQ(hipDeviceEnablePeerAccess(1, 0), hipErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(hipCtxEnablePeerAccess(contexts[1], 0), hipErrorPeerAccessAlreadyEnabled);
  ASSERT_EQ(hipCtxSetCurrent(contexts[1]), hipSuccess);
  int current = -1;
  ASSERT_EQ(hipGetDevice(&current), hipSuccess);
  EXPECT_EQ(current, 1);
  EXPECT_EQ(hipDeviceDisablePeerAccess(0), hipErrorPeerAccessNotEnabled);  // of the other way
  ASSERT_EQ(hipCtxSetCurrent(contexts[0]), hipSuccess);
  ASSERT_EQ(hipCtxDisablePeerAccess(contexts[1]), hipSuccess);
  EXPECT_EQ(hipDeviceDisablePeerAccess(1), hipErrorPeerAccessNotEnabled);
  EXPECT_EQ(hipCtxEnablePeerAccess(contexts[1], 1), hipErrorInvalidValue);
  EXPECT_EQ(hipCtxEnablePeerAccess(contexts[0], 0), hipErrorInvalidDevice);  // of itself
  EXPECT_EQ(hipCtxEnablePeerAccess(nullptr, 0), hipErrorInvalidContext);
}

TEST_F(PeerTest, DevicesAndStreamsKnowTheirNumbers) {
  for (const int ordinal : {0, 1}) {
    hipDevice_t device = -1;
    ASSERT_EQ(hipDeviceGet(&device, ordinal), hipSuccess);
    char by_handle[16], by_ordinal[16];
    ASSERT_EQ(hipDeviceGetPCIBusId(by_handle, sizeof by_handle, device), hipSuccess);
    ASSERT_EQ(hipDeviceGetPCIBusId(by_ordinal, sizeof by_ordinal, ordinal), hipSuccess);
    EXPECT_STREQ(by_handle, by_ordinal);
    hipStream_t stream = nullptr;
    ASSERT_EQ(hipSetDevice(device), hipSuccess);
    ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
    ASSERT_EQ(hipSetDevice(0), hipSuccess);
    EXPECT_EQ(hipGetStreamDeviceId(stream), ordinal);
    ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
    EXPECT_EQ(hipGetStreamDeviceId(stream), -1);
  }
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  EXPECT_EQ(hipGetStreamDeviceId(nullptr), 1);
  hipDevice_t device = 77;
  EXPECT_EQ(hipDeviceGet(&device, 2), hipErrorInvalidDevice);
  EXPECT_EQ(hipDeviceGet(&device, -1), hipErrorInvalidDevice);
  EXPECT_EQ(device, 77);
}

TEST_F(PeerTest, CopiesAndStoresBetweenDevices) {
  int *here = nullptr, *there = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&here), 4), hipSuccess);
  ASSERT_EQ(hipSetDevice(1), hipSuccess);
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&there), 4), hipSuccess);
  ASSERT_EQ(hipSetDevice(0), hipSuccess);
  hipModule_t module = nullptr;
  const hipFunction_t function = load(&module, "_Z5storePii");
  ASSERT_EQ(store(function, there, 17), hipSuccess);  // a kernel of device 0 writes to device 1
  ASSERT_EQ(hipMemcpyPeer(here, 0, there, 1, 4), hipSuccess);
  int value = 0;
  ASSERT_EQ(hipMemcpy(&value, here, 4, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(value, 17);
  EXPECT_EQ(hipMemcpyPeer(here, 0, there, 5, 4), hipErrorInvalidDevice);
  // In the order of a stream.
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(store(function, here, 18, stream), hipSuccess);
  ASSERT_EQ(hipMemcpyPeerAsync(there, 1, here, 0, 4, stream), hipSuccess);
  ASSERT_EQ(store(function, here, 19, stream), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  ASSERT_EQ(hipMemcpy(&value, there, 4, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(value, 18);
  EXPECT_EQ(hipMemcpyPeerAsync(there, 1, here, -1, 4, stream), hipErrorInvalidDevice);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipFree(here), hipSuccess);
  EXPECT_EQ(hipFree(there), hipSuccess);
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
}

// Whichever device is current, a copy of a device's memory waits for the kernels that write it.
TEST_F(PeerTest, CopiesOfAnotherDevicesMemoryAreInOrderThere) {
  int *there = nullptr, *pinned = nullptr, *gate = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&there), 4), hipSuccess);
  ASSERT_EQ(hipHostMalloc(reinterpret_cast<void**>(&pinned), 4, 0), hipSuccess);
  ASSERT_EQ(hipHostMalloc(reinterpret_cast<void**>(&gate), 4, 0), hipSuccess);
  hipModule_t modules[2];
  const hipFunction_t forever = load(&modules[0], "_Z7foreverPi");
  const hipFunction_t store_function = load(&modules[1], "_Z5storePii");
  hipStream_t writer = nullptr, other = nullptr;
  ASSERT_EQ(hipStreamCreate(&writer), hipSuccess);
  for (const bool waits : {true, false}) {
    ASSERT_EQ(hipSetDevice(0), hipSuccess);
    *gate = 0;
    *there = *pinned = -1;
    auto parameters = pointers(gate);
    ASSERT_EQ(
        hipModuleLaunchKernel(forever, 1, 1, 1, 1, 1, 1, 0, writer, parameters.data(), nullptr),
        hipSuccess);
    ASSERT_EQ(store(store_function, there, 17, writer), hipSuccess);
    std::thread opener([gate] {
      std::this_thread::sleep_for(std::chrono::milliseconds{30});
      std::atomic_ref<int>{* gate} = 1;
    });
    ASSERT_EQ(hipSetDevice(1), hipSuccess);
    if (waits) {
      EXPECT_EQ(hipMemcpy(pinned, there, 4, hipMemcpyDeviceToHost), hipSuccess);
    } else {
      ASSERT_EQ(hipStreamCreate(&other), hipSuccess);
      EXPECT_EQ(hipMemcpyAsync(pinned, there, 4, hipMemcpyDeviceToHost, other), hipSuccess);
      EXPECT_EQ(hipStreamSynchronize(other), hipSuccess);
    }
    EXPECT_EQ(*pinned, 17);
    opener.join();
  }
  for (hipStream_t stream : {writer, other}) EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  for (hipModule_t module : modules) EXPECT_EQ(hipModuleUnload(module), hipSuccess);
  EXPECT_EQ(hipFree(there), hipSuccess);
  EXPECT_EQ(hipHostFree(pinned), hipSuccess);
  EXPECT_EQ(hipHostFree(gate), hipSuccess);
}

TEST_F(PeerTest, ModulesOfTwoDevicesHaveTheirOwnGlobals) {
  hipModule_t modules[2];
  int* counters[2];
  for (int device : {0, 1}) {
    ASSERT_EQ(hipSetDevice(device), hipSuccess);
    const hipFunction_t bounded = load(&modules[device], "_Z7boundedv");
    std::size_t size = 0;
    ASSERT_EQ(hipModuleGetGlobal(reinterpret_cast<void**>(&counters[device]), &size,
                                 modules[device], "counter"),
              hipSuccess);
    EXPECT_EQ(*counters[device], 7);
    if (device == 1) {
      ASSERT_EQ(hipModuleLaunchKernel(bounded, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
                hipSuccess);
      ASSERT_EQ(hipDeviceSynchronize(), hipSuccess);
    }
  }
  EXPECT_NE(counters[0], counters[1]);
  EXPECT_EQ(*counters[0], 7);
  EXPECT_EQ(*counters[1], 1);
  for (hipModule_t module : modules) EXPECT_EQ(hipModuleUnload(module), hipSuccess);
}

TEST_F(PeerTest, GridsOfTwoDevicesMeet) {
  constexpr unsigned blocks = 4, threads = 64;
  int* cells = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&cells), (1 + 2 * (blocks + 1)) * sizeof(int)),
            hipSuccess);
  int* seen[] = {cells + 1, cells + 1 + blocks + 1};
  std::array<void*, 2> arguments[] = {pointers(cells, seen[0]), pointers(cells, seen[1])};
  hipModule_t modules[2];
  hipFunctionLaunchParams launches[2];
  for (int device : {0, 1}) {
    ASSERT_EQ(hipSetDevice(device), hipSuccess);
    launches[device] = {.function = load(&modules[device], "_Z8meet_allPiS_"),
                        .gridDimX = blocks,
                        .gridDimY = 1,
                        .gridDimZ = 1,
                        .blockDimX = threads,
                        .blockDimY = 1,
                        .blockDimZ = 1,
                        .sharedMemBytes = 0,
                        .hStream = nullptr,
                        .kernelParams = arguments[device].data()};
    ASSERT_EQ(hipStreamCreate(&launches[device].hStream), hipSuccess);
  }
  ASSERT_EQ(hipModuleLaunchCooperativeKernelMultiDevice(launches, 2, 0), hipSuccess);
  for (const auto& launch : launches) ASSERT_EQ(hipStreamSynchronize(launch.hStream), hipSuccess);
  for (const int* of_grid : seen)
    for (unsigned i = 0; i < blocks; ++i) EXPECT_EQ(of_grid[i], 2 * blocks * threads) << i;
  EXPECT_EQ(seen[0][blocks], 0);
  EXPECT_EQ(seen[1][blocks], 201);  // of two grids, the second
  launches[1].hStream = launches[0].hStream;
  EXPECT_EQ(hipModuleLaunchCooperativeKernelMultiDevice(launches, 2, 0), hipErrorInvalidDevice);
  for (hipModule_t module : modules) EXPECT_EQ(hipModuleUnload(module), hipSuccess);
  EXPECT_EQ(hipFree(cells), hipSuccess);
}

TEST_F(PeerTest, DevicesAreLinked) {
  std::uint32_t type = 0, hops = 0;
  ASSERT_EQ(hipExtGetLinkTypeAndHopCount(0, 1, &type, &hops), hipSuccess);
  EXPECT_EQ(hops, 1u);
  EXPECT_EQ(hipExtGetLinkTypeAndHopCount(0, 0, &type, &hops), hipErrorInvalidValue);
  EXPECT_EQ(hipExtGetLinkTypeAndHopCount(0, 2, &type, &hops), hipErrorInvalidDevice);
}

TEST_F(PeerTest, ManyThreadsLaunchAtOnce) {
  hipModule_t module = nullptr;
  const hipFunction_t function = load(&module, "_Z5storePii");
  constexpr int threads = 4, launches = 200;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([=] {
      ASSERT_EQ(hipSetDevice(t % 2), hipSuccess);
      hipStream_t stream = nullptr;
      int* memory = nullptr;
      ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
      for (int i = 0; i < launches; ++i) {
        ASSERT_EQ(hipMallocAsync(reinterpret_cast<void**>(&memory), 64, stream), hipSuccess);
        ASSERT_EQ(store(function, memory + i % 16, i, stream), hipSuccess);
        int value = -1;
        ASSERT_EQ(hipMemcpyAsync(&value, memory + i % 16, 4, hipMemcpyDeviceToHost, stream),
                  hipSuccess);
        ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
        ASSERT_EQ(value, i);
        ASSERT_EQ(hipFreeAsync(memory, stream), hipSuccess);
      }
      ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
    });
  for (std::thread& thread : all) thread.join();
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
}

}  // namespace
