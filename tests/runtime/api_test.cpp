// Memory, pointers, pools, streams, events and errors, by their effects.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <array>
#include <thread>
#include <vector>

#include "../patience.h"
#include "api_fixture.h"
#include "kernels.h"

namespace {

using MemoryApi = ApiTest;

TEST_F(MemoryApi, InfoFollowsAllocations) {
  std::size_t free = 0, total = 0, less = 0;
  ASSERT_EQ(hipMemGetInfo(&free, &total), hipSuccess);
  EXPECT_EQ(total, 206158430208u);  // 192 GiB, MI300X
  {
    DeviceArray<char> a(std::size_t{1} << 30);
    ASSERT_EQ(hipMemGetInfo(&less, &total), hipSuccess);
    EXPECT_EQ(free - less, std::size_t{1} << 30);
  }
  ASSERT_EQ(hipMemGetInfo(&less, &total), hipSuccess);
  EXPECT_EQ(free, less);
  void* none = &free;
  EXPECT_EQ(hipMalloc(&none, total + 1), hipErrorOutOfMemory);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(hipMalloc(&none, 0), hipSuccess);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(hipMalloc(nullptr, 4), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(nullptr), hipSuccess);
}

TEST_F(MemoryApi, PinnedManagedAndRegistered) {
  int* pinned = nullptr;
  ASSERT_EQ(hipHostMalloc(reinterpret_cast<void**>(&pinned), 400, hipHostMallocMapped), hipSuccess);
  void* device = nullptr;
  EXPECT_EQ(hipHostGetDevicePointer(&device, pinned, 0), hipSuccess);
  pinned[99] = 7;
  EXPECT_EQ(static_cast<int*>(device)[99], 7);
  unsigned flags = 0;
  EXPECT_EQ(hipHostGetFlags(&flags, pinned), hipSuccess);
  EXPECT_EQ(flags, static_cast<unsigned>(hipHostMallocMapped));
  EXPECT_EQ(hipHostFree(pinned), hipSuccess);
  EXPECT_EQ(hipHostFree(pinned), hipErrorInvalidValue);

  std::vector<int> mine(100);
  EXPECT_EQ(hipHostGetDevicePointer(&device, mine.data(), 0), hipErrorInvalidValue);
  ASSERT_EQ(hipHostRegister(mine.data(), 400, hipHostRegisterDefault), hipSuccess);
  EXPECT_EQ(hipHostGetDevicePointer(&device, mine.data() + 5, 0), hipSuccess);
  EXPECT_EQ(device, mine.data() + 5);
  EXPECT_EQ(hipHostUnregister(mine.data()), hipSuccess);
  EXPECT_EQ(hipHostUnregister(mine.data()), hipErrorHostMemoryNotRegistered);
  EXPECT_EQ(hipHostRegister(reinterpret_cast<void*>(0x1000), 400, 0), hipErrorInvalidValue);

  int* managed = nullptr;
  ASSERT_EQ(hipMallocManaged(reinterpret_cast<void**>(&managed), 400, hipMemAttachGlobal),
            hipSuccess);
  managed[0] = 3;
  EXPECT_EQ(hipMemAdvise(managed, 400, hipMemAdviseSetReadMostly, 0), hipSuccess);
  EXPECT_EQ(hipMemPrefetchAsync(managed, 400, 0, nullptr), hipSuccess);
  EXPECT_EQ(hipMemPrefetchAsync(managed, 401, 0, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(managed), hipSuccess);
}

// As ROCm has it, which pins pages and counts (clr: ihipHostRegister).
TEST_F(MemoryApi, RegistrationsMayOverlap) {
  std::vector<int> mine(100);
  const auto known = [&](int from, int to) {  // as one allocation
    hipDeviceptr_t base = nullptr;
    std::size_t size = 0;
    return hipMemGetAddressRange(&base, &size, mine.data() + from) == hipSuccess &&
           base == mine.data() + from && size == 4 * static_cast<std::size_t>(to - from);
  };
  ASSERT_EQ(hipHostRegister(mine.data() + 10, 40, 0), hipSuccess);
  ASSERT_EQ(hipHostRegister(mine.data() + 30, 40, 0), hipSuccess);
  EXPECT_TRUE(known(10, 20) && known(30, 40));
  ASSERT_EQ(hipHostRegister(mine.data() + 15, 80, 0), hipSuccess);  // from one to the other
  EXPECT_TRUE(known(10, 40));
  ASSERT_EQ(hipHostRegister(mine.data() + 10, 40, 0), hipSuccess);  // a second time
  EXPECT_EQ(hipHostUnregister(mine.data() + 10), hipSuccess);
  EXPECT_TRUE(known(10, 40));
  EXPECT_EQ(hipHostUnregister(mine.data() + 15), hipSuccess);
  EXPECT_TRUE(known(10, 20) && known(30, 40));
  EXPECT_EQ(hipHostUnregister(mine.data() + 10), hipSuccess);
  EXPECT_EQ(hipHostUnregister(mine.data() + 10), hipErrorHostMemoryNotRegistered);
  EXPECT_TRUE(known(30, 40));
  EXPECT_EQ(hipHostUnregister(mine.data() + 30), hipSuccess);

  int* device = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&device), 400), hipSuccess);
  EXPECT_EQ(hipHostRegister(device + 5, 40, 0), hipErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(hipFree(device), hipSuccess);
}

TEST_F(MemoryApi, AddressRange) {
  DeviceArray<int> a(100);
  hipDeviceptr_t base = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(hipMemGetAddressRange(&base, &size, a.data + 50), hipSuccess);
  EXPECT_EQ(base, a.data);
  EXPECT_EQ(size, 400u);
  EXPECT_EQ(hipMemPtrGetInfo(a.data + 1, &size), hipSuccess);
  EXPECT_EQ(size, 400u);
  int host = 0;
  EXPECT_EQ(hipMemGetAddressRange(&base, &size, &host), hipErrorNotFound);
}

TEST_F(MemoryApi, PointerAttributesAsHip5NumbersThem) {
  DeviceArray<int> a(100);
  hipPointerAttribute_t attributes{};
  ASSERT_EQ(hipPointerGetAttributes(&attributes, a.data + 3), hipSuccess);
  EXPECT_EQ(attributes.type, hipMemoryTypeDevice);
  EXPECT_EQ(attributes.devicePointer, a.data + 3);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  EXPECT_EQ(attributes.isManaged, 0);
  void* pinned = nullptr;
  ASSERT_EQ(hipHostMalloc(&pinned, 8, 0), hipSuccess);
  ASSERT_EQ(hipPointerGetAttributes(&attributes, pinned), hipSuccess);
  EXPECT_EQ(attributes.type, hipMemoryTypeHost);
  EXPECT_EQ(attributes.hostPointer, pinned);
  EXPECT_EQ(hipHostFree(pinned), hipSuccess);
  int host = 0;
  EXPECT_EQ(hipPointerGetAttributes(&attributes, &host), hipErrorInvalidValue);
  std::size_t size = 0;
  std::uint32_t id[] = {0, 77};
  EXPECT_EQ(hipPointerGetAttribute(&id, HIP_POINTER_ATTRIBUTE_BUFFER_ID, a.data), hipSuccess);
  EXPECT_EQ(id[1], 77u);  // it is of 32 bits
  EXPECT_EQ(hipPointerGetAttribute(&size, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, a.data), hipSuccess);
  EXPECT_EQ(size, 400u);
  EXPECT_EQ(hipPointerGetAttribute(&size, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, &host),
            hipErrorInvalidValue);
}

TEST_F(MemoryApi, PoolsCountWhatIsInUse) {
  hipMemPool_t pool = nullptr;
  ASSERT_EQ(hipDeviceGetDefaultMemPool(&pool, 0), hipSuccess);
  std::uint64_t before = 0, used = 0;
  ASSERT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &before), hipSuccess);
  int* a = nullptr;
  ASSERT_EQ(hipMallocAsync(reinterpret_cast<void**>(&a), 4096, nullptr), hipSuccess);
  a[1023] = 1;
  ASSERT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used), hipSuccess);
  EXPECT_EQ(used - before, 4096u);
  ASSERT_EQ(hipFreeAsync(a, nullptr), hipSuccess);
  ASSERT_EQ(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &used), hipSuccess);
  EXPECT_EQ(used, before);
  EXPECT_EQ(hipFreeAsync(a, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipMemPoolTrimTo(pool, 0), hipSuccess);
  EXPECT_EQ(hipMemPoolDestroy(pool), hipErrorInvalidValue);

  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location = {hipMemLocationTypeDevice, 0};
  hipMemPool_t own = nullptr;
  ASSERT_EQ(hipMemPoolCreate(&own, &properties), hipSuccess);
  void* b = nullptr;
  ASSERT_EQ(hipMallocFromPoolAsync(&b, 100, own, nullptr), hipSuccess);
  ASSERT_EQ(hipMemPoolGetAttribute(own, hipMemPoolAttrUsedMemCurrent, &used), hipSuccess);
  EXPECT_EQ(used, 100u);
  EXPECT_EQ(hipFreeAsync(b, nullptr), hipSuccess);
  EXPECT_EQ(hipMemPoolDestroy(own), hipSuccess);
  EXPECT_EQ(hipMallocFromPoolAsync(&b, 100, own, nullptr), hipErrorInvalidValue);
}

TEST_F(MemoryApi, PoolsHaveALimitAndSayWhoMayUseThem) {
  hipMemPoolProps properties{};
  properties.allocType = hipMemAllocationTypePinned;
  properties.location = {hipMemLocationTypeDevice, 0};
  reinterpret_cast<std::size_t*>(&properties)[3] = 1000;  // maxSize, which HIP 6 added
  hipMemPool_t pool = nullptr;
  ASSERT_EQ(hipMemPoolCreate(&pool, &properties), hipSuccess);
  void *first = nullptr, *second = nullptr;
  ASSERT_EQ(hipMallocFromPoolAsync(&first, 600, pool, nullptr), hipSuccess);
  EXPECT_EQ(hipMallocFromPoolAsync(&second, 401, pool, nullptr), hipErrorOutOfMemory);
  ASSERT_EQ(hipMallocFromPoolAsync(&second, 400, pool, nullptr), hipSuccess);
  EXPECT_EQ(hipFreeAsync(first, nullptr), hipSuccess);
  EXPECT_EQ(hipFreeAsync(second, nullptr), hipSuccess);
  hipMemLocation here{hipMemLocationTypeDevice, 0};
  hipMemAccessFlags flags{};
  ASSERT_EQ(hipMemPoolGetAccess(&flags, pool, &here), hipSuccess);
  EXPECT_EQ(flags, hipMemAccessFlagsProtReadWrite);
  hipMemAccessDesc access{here, hipMemAccessFlagsProtRead};
  ASSERT_EQ(hipMemPoolSetAccess(pool, &access, 1), hipSuccess);
  ASSERT_EQ(hipMemPoolGetAccess(&flags, pool, &here), hipSuccess);
  EXPECT_EQ(flags, hipMemAccessFlagsProtRead);
  access.flags = hipMemAccessFlagsProtNone;  // its own device always has access
  EXPECT_EQ(hipMemPoolSetAccess(pool, &access, 1), hipErrorInvalidDevice);
  EXPECT_EQ(hipMemPoolDestroy(pool), hipSuccess);
}

TEST_F(MemoryApi, AdviceIsRememberedByPage) {
  constexpr std::size_t page = 4096;
  char* data = nullptr;
  ASSERT_EQ(hipMallocManaged(reinterpret_cast<void**>(&data), 4 * page, hipMemAttachGlobal),
            hipSuccess);
  const auto get = [&](hipMemRangeAttribute which, std::size_t at, std::size_t size) {
    int value = 77;
    EXPECT_EQ(hipMemRangeGetAttribute(&value, sizeof value, which, data + at, size), hipSuccess);
    return value;
  };
  EXPECT_EQ(get(hipMemRangeAttributePreferredLocation, 0, 4 * page), hipInvalidDeviceId);
  ASSERT_EQ(hipMemAdvise(data + page + 10, 20, hipMemAdviseSetReadMostly, 99), hipSuccess);
  EXPECT_EQ(get(hipMemRangeAttributeReadMostly, page, page), 1);
  EXPECT_EQ(get(hipMemRangeAttributeReadMostly, page, page + 1), 0);  // not all of it
  EXPECT_EQ(get(hipMemRangeAttributeReadMostly, 0, page), 0);
  ASSERT_EQ(hipMemAdvise(data, 4 * page, hipMemAdviseSetPreferredLocation, hipCpuDeviceId),
            hipSuccess);
  ASSERT_EQ(hipMemAdvise(data, page, hipMemAdviseSetPreferredLocation, 0), hipSuccess);
  EXPECT_EQ(get(hipMemRangeAttributePreferredLocation, 0, page), 0);
  EXPECT_EQ(get(hipMemRangeAttributePreferredLocation, page, page), hipCpuDeviceId);
  EXPECT_EQ(get(hipMemRangeAttributePreferredLocation, 0, 2 * page), hipInvalidDeviceId);
  ASSERT_EQ(hipMemPrefetchAsync(data, page, 0, nullptr), hipSuccess);
  EXPECT_EQ(get(hipMemRangeAttributeLastPrefetchLocation, 0, page), 0);
  ASSERT_EQ(hipMemAdvise(data, page, hipMemAdviseSetCoarseGrain, 0), hipSuccess);
  EXPECT_EQ(get(hipMemRangeAttributeCoherencyMode, 0, page), hipMemRangeCoherencyModeCoarseGrain);
  EXPECT_EQ(get(hipMemRangeAttributeCoherencyMode, 0, 2 * page),
            hipMemRangeCoherencyModeIndeterminate);
  ASSERT_EQ(hipMemAdvise(data, page, hipMemAdviseSetAccessedBy, 0), hipSuccess);
  int devices[2] = {55, 55};
  ASSERT_EQ(
      hipMemRangeGetAttribute(devices, sizeof devices, hipMemRangeAttributeAccessedBy, data, page),
      hipSuccess);
  EXPECT_EQ(devices[0], 0);
  EXPECT_EQ(devices[1], hipInvalidDeviceId);
  EXPECT_EQ(hipMemRangeGetAttribute(devices, 3, hipMemRangeAttributeReadMostly, data, page),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMemRangeGetAttribute(devices, 4, hipMemRangeAttributeReadMostly, data, 5 * page),
            hipErrorInvalidValue);
  EXPECT_EQ(hipFree(data), hipSuccess);
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&data), page), hipSuccess);
  EXPECT_EQ(get(hipMemRangeAttributeCoherencyMode, 0, page), hipMemRangeCoherencyModeCoarseGrain);
  EXPECT_EQ(hipMemRangeGetAttribute(devices, 4, hipMemRangeAttributeReadMostly, data, page),
            hipErrorInvalidValue);  // of managed memory alone
  EXPECT_EQ(hipFree(data), hipSuccess);
  ASSERT_EQ(
      hipExtMallocWithFlags(reinterpret_cast<void**>(&data), page, hipDeviceMallocFinegrained),
      hipSuccess);
  EXPECT_EQ(get(hipMemRangeAttributeCoherencyMode, 0, page), hipMemRangeCoherencyModeFineGrain);
  EXPECT_EQ(hipFree(data), hipSuccess);
}

using Streams = ApiTest;

TEST_F(Streams, CallbacksRunInOrderAndGetTheirData) {
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), hipSuccess);
  std::vector<int> order;
  const auto add = [](void* data) {
    auto& list = *static_cast<std::vector<int>*>(data);
    list.push_back(static_cast<int>(list.size()));
  };
  for (int i = 0; i < 5; ++i) ASSERT_EQ(hipLaunchHostFunc(stream, add, &order), hipSuccess);
  ASSERT_EQ(hipStreamAddCallback(
                stream,
                [](hipStream_t, hipError_t status, void* data) {
                  static_cast<std::vector<int>*>(data)->push_back(100 + static_cast<int>(status));
                },
                &order, 0),
            hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 100}));
  EXPECT_EQ(hipStreamAddCallback(stream, nullptr, nullptr, 0), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_F(Streams, FlagsAndPriorities) {
  int least = 0, greatest = 0, priority = 99;
  ASSERT_EQ(hipDeviceGetStreamPriorityRange(&least, &greatest), hipSuccess);
  EXPECT_LT(greatest, least);  // lower numbers are more urgent
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreateWithPriority(&stream, hipStreamNonBlocking, -100), hipSuccess);
  ASSERT_EQ(hipStreamGetPriority(stream, &priority), hipSuccess);
  EXPECT_EQ(priority, greatest);
  unsigned flags = 0;
  ASSERT_EQ(hipStreamGetFlags(stream, &flags), hipSuccess);
  EXPECT_EQ(flags, static_cast<unsigned>(hipStreamNonBlocking));
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipStreamCreateWithFlags(&stream, 77), hipErrorInvalidValue);
  EXPECT_EQ(hipStreamCreate(nullptr), hipErrorInvalidValue);
}

TEST_F(Streams, ComputeUnitMasksAreKept) {
  const std::uint32_t some[] = {0xe, 0, 5};
  std::array<std::uint32_t, 10> mask{};  // of 304 compute units
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipExtStreamCreateWithCUMask(&stream, 3, some), hipSuccess);
  ASSERT_EQ(hipExtStreamGetCUMask(stream, 10, mask.data()), hipSuccess);
  EXPECT_EQ(mask, (std::array<std::uint32_t, 10>{0xe, 0, 5}));
  EXPECT_EQ(hipExtStreamGetCUMask(stream, 9, mask.data()), hipErrorInvalidValue);
  ASSERT_EQ(hipExtStreamGetCUMask(nullptr, 10, mask.data()), hipSuccess);
  EXPECT_EQ(mask[8], ~0u);
  EXPECT_EQ(mask[9], 0xffffu);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
}

TEST_F(Streams, DestroyedOnesAreFoundOut) {
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(hipStreamSynchronize(stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(hipStreamQuery(stream), hipErrorContextIsDestroyed);
  DeviceArray<int> a(1);
  EXPECT_EQ(hipMemsetAsync(a.data, 1, 4, stream), hipErrorContextIsDestroyed);
  EXPECT_EQ(a.data[0], 0);
  EXPECT_EQ(hipStreamSynchronize(reinterpret_cast<hipStream_t>(0xdead)),
            hipErrorContextIsDestroyed);
  EXPECT_EQ(hipStreamSynchronize(hipStreamPerThread), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(nullptr), hipErrorInvalidHandle);
}

TEST_F(Streams, EventsTimeWhatIsBetween) {
  hipEvent_t start = nullptr, stop = nullptr;
  ASSERT_EQ(hipEventCreate(&start), hipSuccess);
  ASSERT_EQ(hipEventCreate(&stop), hipSuccess);
  float ms = -1;
  EXPECT_EQ(hipEventElapsedTime(&ms, start, stop), hipErrorInvalidHandle);  // not recorded
  ASSERT_EQ(hipEventRecord(start, nullptr), hipSuccess);
  ASSERT_EQ(hipLaunchHostFunc(
                nullptr, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); },
                nullptr),
            hipSuccess);
  ASSERT_EQ(hipEventRecord(stop, nullptr), hipSuccess);
  ASSERT_EQ(hipEventSynchronize(stop), hipSuccess);
  EXPECT_EQ(hipEventQuery(stop), hipSuccess);
  ASSERT_EQ(hipEventElapsedTime(&ms, start, stop), hipSuccess);
  EXPECT_GE(ms, 20.0f);
  EXPECT_LT(ms, 1000 * hipsight::patience(2));
  EXPECT_EQ(hipStreamWaitEvent(nullptr, stop, 0), hipSuccess);
  EXPECT_EQ(hipEventDestroy(start), hipSuccess);
  EXPECT_EQ(hipEventDestroy(start), hipErrorContextIsDestroyed);
  EXPECT_EQ(hipEventRecord(start, nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(hipEventDestroy(stop), hipSuccess);
  EXPECT_EQ(hipEventCreateWithFlags(&start, 0x1000), hipErrorInvalidValue);
  ASSERT_EQ(hipEventCreateWithFlags(&start, hipEventDisableTiming), hipSuccess);
  ASSERT_EQ(hipEventRecord(start, nullptr), hipSuccess);
  EXPECT_EQ(hipEventElapsedTime(&ms, start, start), hipErrorInvalidHandle);
  EXPECT_EQ(hipEventDestroy(start), hipSuccess);
}

using Errors = ApiTest;

TEST_F(Errors, LastErrorIsReadOnceAndPerThread) {
  EXPECT_EQ(hipMalloc(nullptr, 1), hipErrorInvalidValue);
  std::thread([] { EXPECT_EQ(hipGetLastError(), hipSuccess); }).join();
  EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidValue);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidValue);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST_F(Errors, BeforeHip7ASuccessClearsTheLastError) {
  EXPECT_EQ(hipMalloc(nullptr, 1), hipErrorInvalidValue);
  int device = 0;
  EXPECT_EQ(hipGetDevice(&device), hipSuccess);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST_F(Errors, NamesAndTexts) {
  EXPECT_STREQ(hipGetErrorName(hipErrorInvalidValue), "hipErrorInvalidValue");
  EXPECT_STREQ(hipGetErrorString(hipErrorInvalidValue), "invalid argument");
  EXPECT_STREQ(hipGetErrorString(hipErrorNoBinaryForGpu),
               "no kernel image is available for execution on the device");
  EXPECT_STREQ(hipGetErrorName(static_cast<hipError_t>(12345)), "hipErrorUnknown");
  const char* text = nullptr;
  EXPECT_EQ(hipDrvGetErrorName(static_cast<hipError_t>(12345), &text), hipErrorInvalidValue);
  EXPECT_EQ(hipDrvGetErrorName(hipErrorAssert, &text), hipSuccess);
  EXPECT_STREQ(text, "hipErrorAssert");
}

}  // namespace
