// Copies and sets of memory, by their effects.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "api_fixture.h"
#include "kernels.h"

namespace {

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

}  // namespace
