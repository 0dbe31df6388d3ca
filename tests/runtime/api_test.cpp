// Memory, copies, pointers, streams, events, pools and devices, by their effects.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "kernels.h"

namespace {

class ApiTest : public testing::Test {
 protected:
  void SetUp() override {
    (void)hipDeviceReset();
    (void)hipGetLastError();
  }
};

/// Device memory that is freed in the end.
template <class Value>
struct DeviceArray {
  explicit DeviceArray(std::size_t count) {
    EXPECT_EQ(hipMalloc(reinterpret_cast<void**>(&data), count * sizeof(Value)), hipSuccess);
  }
  ~DeviceArray() { (void)hipFree(data); }
  Value* data = nullptr;
};

using Copy = ApiTest;

TEST_F(Copy, RoundTripOfEveryKind) {
  std::vector<int> from(1000), to(1000);
  for (int i = 0; i < 1000; ++i) from[static_cast<std::size_t>(i)] = i * i;
  DeviceArray<int> a(1000), b(1000);
  ASSERT_EQ(hipMemcpy(a.data, from.data(), 4000, hipMemcpyHostToDevice), hipSuccess);
  ASSERT_EQ(hipMemcpy(b.data, a.data, 4000, hipMemcpyDeviceToDevice), hipSuccess);
  ASSERT_EQ(hipMemcpy(to.data(), b.data, 4000, hipMemcpyDeviceToHost), hipSuccess);
  EXPECT_EQ(from, to);
  std::ranges::fill(to, 0);
  ASSERT_EQ(hipMemcpy(to.data(), b.data, 4000, hipMemcpyDefault), hipSuccess);
  EXPECT_EQ(from, to);
  std::ranges::fill(to, 0);
  ASSERT_EQ(hipMemcpy(to.data(), from.data(), 4000, hipMemcpyHostToHost), hipSuccess);
  EXPECT_EQ(from, to);
}

TEST_F(Copy, ByTheDriversNames) {
  std::array<int, 4> from{1, -2, 3, -4}, to{};
  DeviceArray<int> a(4), b(4);
  ASSERT_EQ(hipMemset(b.data, 0, 16), hipSuccess);
  ASSERT_EQ(hipMemcpyHtoD(a.data, from.data(), 16), hipSuccess);
  ASSERT_EQ(hipMemcpyDtoD(b.data + 1, a.data, 8), hipSuccess);
  ASSERT_EQ(hipMemcpyDtoH(to.data(), b.data, 16), hipSuccess);
  EXPECT_EQ(to, (std::array{0, 1, -2, 0}));
  EXPECT_EQ(hipMemcpyHtoD(b.data + 1, from.data(), 16), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyDtoD(b.data, a.data + 1, 16), hipErrorInvalidValue);
  EXPECT_EQ(b.data[1], 1);  // untouched
}

TEST_F(Copy, WrongRangesCopyNothing) {
  DeviceArray<int> a(4);
  int host[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(hipMemcpy(a.data, host, 17, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(a.data + 1, host, 16, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(host, a.data, ~std::size_t{0}, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(nullptr, host, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(a.data, nullptr, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(nullptr, nullptr, 0, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_EQ(hipMemcpy(a.data, host, 16, static_cast<hipMemcpyKind>(77)),
            hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(a.data[0], 0);  // untouched
  EXPECT_EQ(host[0], 1);
}

TEST_F(Copy, StrayPointersAreErrorsNotCrashes) {
  int host = 5;
  void* wild = reinterpret_cast<void*>(0x10);
  EXPECT_EQ(hipMemcpy(&host, wild, 4, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(wild, &host, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset(wild, 0, 4), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset(&host, 0, 4), hipErrorInvalidValue);  // not device memory
  EXPECT_EQ(hipMemcpy(&host, wild, ~std::size_t{0} - 8, hipMemcpyDefault), hipErrorInvalidValue);
  // Up to the last page that an address can name.
  EXPECT_EQ(hipMemcpy(wild, wild, ~std::size_t{0} - 0x20, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(host, 5);
}

TEST_F(Copy, RegisteredMemoryThatIsGoneIsAnErrorNotACrash) {
  constexpr std::size_t page = 4096;
  void* const memory =
      mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(hipHostRegister(memory, page, 0), hipSuccess);
  ASSERT_EQ(hipMemset(memory, 1, page), hipSuccess);
  ASSERT_EQ(munmap(memory, page), 0);
  int host = 5;
  EXPECT_EQ(hipMemset(memory, 1, page), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(&host, memory, 4, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(memory, &host, 4, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(host, 5);
  EXPECT_EQ(hipHostUnregister(memory), hipSuccess);
}

TEST_F(Copy, MemoryThatMayNotBeTouchedIsAnErrorNotACrash) {
  constexpr std::size_t page = 4096;
  auto* const memory =
      static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(mprotect(memory + page, page, PROT_NONE), 0);
  DeviceArray<char> a(page);
  ASSERT_EQ(hipMemset(a.data, 1, page), hipSuccess);
  EXPECT_EQ(hipMemcpy(memory, a.data, 1, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(a.data, memory + 1, page, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_EQ(a.data[0], 1);
  EXPECT_EQ(hipMemcpy(a.data, memory, page, hipMemcpyHostToDevice), hipSuccess);
  EXPECT_EQ(a.data[0], 0);
  EXPECT_EQ(munmap(memory, 2 * page), 0);
}

TEST_F(Copy, SizesThatOverflowAreErrors) {
  constexpr std::size_t many = std::size_t{1} << 32, most = ~std::size_t{0};
  DeviceArray<char> a(4096), b(4096);
  // Lines that lie on each other would never end.
  EXPECT_EQ(hipMemset3D({a.data, 0, 0, 0}, 1, {1, many, many}), hipErrorInvalidValue);
  hipMemcpy3DParms box{};
  box.srcPtr = {a.data, 16, 16, 0};
  box.dstPtr = {b.data, 16, 16, 0};
  box.extent = {16, 1, many};
  box.kind = hipMemcpyDeviceToDevice;
  EXPECT_EQ(hipMemcpy3D(&box), hipErrorInvalidValue);
  box.extent = {16, 1, 1};
  EXPECT_EQ(hipMemcpy3D(&box), hipSuccess);
  box.srcPos = {most, 0, 0};
  EXPECT_EQ(hipMemcpy3D(&box), hipErrorInvalidValue);
  box.srcPos = {0, most, 0};
  EXPECT_EQ(hipMemcpy3D(&box), hipErrorInvalidValue);
  box.srcPos = {};
  box.dstPtr.ysize = most;
  EXPECT_EQ(hipMemcpy3D(&box), hipErrorInvalidValue);
  hip_Memcpy2D flat{};
  flat.srcMemoryType = flat.dstMemoryType = hipMemoryTypeDevice;
  flat.srcDevice = a.data;
  flat.dstDevice = b.data;
  flat.WidthInBytes = 16;
  flat.Height = 1;
  flat.srcXInBytes = most;
  EXPECT_EQ(hipMemcpyParam2D(&flat), hipErrorInvalidValue);
  EXPECT_EQ(hipMemset2D(a.data, most, 1, 1, 3), hipErrorInvalidValue);
}

TEST_F(Copy, UseAfterFreeNamesTheAllocation) {
  void* freed = nullptr;
  ASSERT_EQ(hipMalloc(&freed, 64), hipSuccess);
  ASSERT_EQ(hipFree(freed), hipSuccess);
  int host = 0;
  testing::internal::CaptureStderr();
  EXPECT_EQ(hipMemcpy(&host, freed, 4, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("hipMalloc #"), std::string::npos) << text;
  EXPECT_NE(text.find("was freed"), std::string::npos) << text;
  EXPECT_EQ(hipFree(freed), hipErrorInvalidValue);
}

TEST_F(Copy, TwoDimensions) {
  constexpr std::size_t width = 5, height = 4, pitch = 8;
  char from[height * pitch], to[height * pitch];
  for (std::size_t i = 0; i < sizeof from; ++i) from[i] = static_cast<char>(i);
  std::memset(to, -1, sizeof to);
  void* device = nullptr;
  std::size_t device_pitch = 0;
  ASSERT_EQ(hipMallocPitch(&device, &device_pitch, width, height), hipSuccess);
  EXPECT_GE(device_pitch, width);
  ASSERT_EQ(hipMemcpy2D(device, device_pitch, from, pitch, width, height, hipMemcpyHostToDevice),
            hipSuccess);
  ASSERT_EQ(hipMemcpy2D(to, pitch, device, device_pitch, width, height, hipMemcpyDeviceToHost),
            hipSuccess);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < pitch; ++x)
      EXPECT_EQ(to[y * pitch + x], x < width ? from[y * pitch + x] : -1);
  EXPECT_EQ(hipMemcpy2D(to, 4, device, device_pitch, width, height, hipMemcpyDeviceToHost),
            hipErrorInvalidPitchValue);
  EXPECT_EQ(
      hipMemcpy2D(device, device_pitch, from, pitch, width, height + 1, hipMemcpyHostToDevice),
      hipErrorInvalidValue);
  EXPECT_EQ(hipFree(device), hipSuccess);
}

TEST_F(Copy, AsTheDriverDescribesThem) {
  int* device = nullptr;
  ASSERT_EQ(hipMalloc(reinterpret_cast<void**>(&device), 64 * sizeof(int)), hipSuccess);
  std::array<int, 64> own{};
  for (int i = 0; i < 64; ++i) own[static_cast<std::size_t>(i)] = i;
  // Two rows of two ints at (1, 2) of eight a row, to (0, 1) of four a row.
  hip_Memcpy2D flat{};
  flat.srcMemoryType = hipMemoryTypeHost;
  flat.srcHost = own.data();
  flat.srcPitch = 32;
  flat.srcXInBytes = 4;
  flat.srcY = 2;
  flat.dstMemoryType = hipMemoryTypeDevice;
  flat.dstDevice = device;
  flat.dstPitch = 16;
  flat.dstY = 1;
  flat.WidthInBytes = 8;
  flat.Height = 2;
  ASSERT_EQ(hipMemcpyParam2D(&flat), hipSuccess);
  const std::array<int, 10> expected{0, 0, 0, 0, 17, 18, 0, 0, 25, 26};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(device[i], expected[i]) << i;
  flat.srcXInBytes = 25;  // a row has room for 24 and 8
  EXPECT_EQ(hipMemcpyParam2D(&flat), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyParam2D(nullptr), hipErrorInvalidValue);

  HIP_MEMCPY3D box{};
  box.srcMemoryType = hipMemoryTypeDevice;
  box.srcDevice = device;
  box.srcPitch = 16;
  box.srcHeight = 2;
  box.dstMemoryType = hipMemoryTypeHost;
  box.dstHost = own.data();
  box.dstPitch = 8;
  box.dstHeight = 1;
  box.dstZ = 1;
  box.WidthInBytes = 8;
  box.Height = 1;
  box.Depth = 2;
  ASSERT_EQ(hipDrvMemcpy3D(&box), hipSuccess);
  const std::array<int, 8> boxed{0, 1, 0, 0, 25, 26, 6, 7};
  for (std::size_t i = 0; i < boxed.size(); ++i) EXPECT_EQ(own[i], boxed[i]) << i;
  box.srcMemoryType = static_cast<hipMemoryType>(77);
  EXPECT_EQ(hipDrvMemcpy3D(&box), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(device), hipSuccess);
}

TEST_F(Copy, ThreeDimensions) {
  const hipExtent size{6, 3, 2};
  hipPitchedPtr device{};
  ASSERT_EQ(hipMalloc3D(&device, size), hipSuccess);
  char from[2][3][6], to[2][3][6] = {};
  char next = 1;
  for (auto& slice : from)
    for (auto& row : slice)
      for (char& cell : row) cell = next++;
  hipMemcpy3DParms copy{};
  copy.srcPtr = {from, 6, 6, 3};
  copy.dstPtr = device;
  copy.extent = size;
  copy.kind = hipMemcpyHostToDevice;
  ASSERT_EQ(hipMemcpy3D(&copy), hipSuccess);
  // Back, the second half of each row, of the second slice only.
  copy.srcPtr = device;
  copy.srcPos = {3, 0, 1};
  copy.dstPtr = {to, 6, 6, 3};
  copy.dstPos = {0, 0, 0};
  copy.extent = {3, 3, 1};
  copy.kind = hipMemcpyDeviceToHost;
  ASSERT_EQ(hipMemcpy3D(&copy), hipSuccess);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 6; ++x) EXPECT_EQ(to[0][y][x], x < 3 ? from[1][y][x + 3] : 0);
  EXPECT_EQ(hipFree(device.ptr), hipSuccess);
}

TEST_F(Copy, Sets) {
  DeviceArray<unsigned> a(64);
  ASSERT_EQ(hipMemset(a.data, 0x1ab, 256), hipSuccess);
  EXPECT_EQ(a.data[63], 0xababababu);
  ASSERT_EQ(hipMemsetD32(a.data, 0x12345678, 32), hipSuccess);
  EXPECT_EQ(a.data[31], 0x12345678u);
  EXPECT_EQ(a.data[32], 0xababababu);
  ASSERT_EQ(hipMemsetD16(a.data, 0xbeef, 3), hipSuccess);
  EXPECT_EQ(a.data[0], 0xbeefbeefu);
  EXPECT_EQ(a.data[1], 0x1234beefu);
  ASSERT_EQ(hipMemsetD8(a.data, 0x11, 1), hipSuccess);
  EXPECT_EQ(a.data[0], 0xbeefbe11u);
  ASSERT_EQ(hipMemset2D(a.data, 16, 0, 4, 16), hipSuccess);
  EXPECT_EQ(a.data[60], 0u);
  EXPECT_EQ(a.data[61], 0xababababu);
  EXPECT_EQ(hipMemsetD32(a.data, 1, 65), hipErrorInvalidValue);
  EXPECT_EQ(hipMemsetD32(a.data, 1, ~std::size_t{0} / 2), hipErrorInvalidValue);
}

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
  EXPECT_EQ(hipHostRegister(mine.data(), 400, hipHostRegisterDefault),
            hipErrorHostMemoryAlreadyRegistered);
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
  EXPECT_LT(ms, 2000.0f);
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
