// What a launch hands to the engine, and which launches are refused.
#include <gtest/gtest.h>
#include <hip/hip_ext.h>
#include <hip/hip_runtime_api.h>

#include <chrono>
#include <thread>

#include "fake_engine.h"
#include "gpus/gpu.h"
#include "kernels.h"
#include "runtime/memory/range.h"
#include "session/launch_rules.h"

// Newer than the SDK's headers.
extern "C" hipError_t hipGetFuncBySymbol(hipFunction_t* function, const void* stub);
extern "C" hipError_t hipDrvLaunchKernelEx(const void* config, hipFunction_t function,
                                           void** parameters, void** extra);
extern "C" hipError_t hipLaunchKernelExC(const void* config, const void* stub, void** arguments);

namespace {

using hipsight::engine::KernelError;

class LaunchTest : public testing::Test {
 protected:
  void SetUp() override {
    (void)hipDeviceReset();
    (void)hipGetLastError();
    fake::reset();
  }
  void TearDown() override { SetUp(); }

  /// A module's kernel and the launch of it by the driver interface.
  hipFunction_t function(const void* stub) {
    hipFunction_t result = nullptr;
    EXPECT_EQ(hipGetFuncBySymbol(&result, stub), hipSuccess);
    return result;
  }
};

/// Offsets of `arguments(char, double, short, int*, Triple)`, by the rules of C.
struct Packed {
  char a;
  double b;
  short c;
  int* d;
  Triple e;
};

TEST_F(LaunchTest, ChevronsPassEveryArgumentAtItsOffset) {
  int cell = 0;
  launch_arguments({2, 3, 4}, {8, 2, 1}, 100, nullptr, 'x', 2.5, -3, &cell, {1, 2.0, 3});
  ASSERT_EQ(hipGetLastError(), hipSuccess);
  ASSERT_EQ(fake::launches().size(), 1u);
  const fake::Launch& launch = fake::launches()[0];
  EXPECT_EQ(launch.dispatch.kernel->name, "_Z9argumentscdsPi6Triple");
  EXPECT_EQ(launch.at<char>(offsetof(Packed, a)), 'x');
  EXPECT_EQ(launch.at<double>(offsetof(Packed, b)), 2.5);
  EXPECT_EQ(launch.at<short>(offsetof(Packed, c)), -3);
  EXPECT_EQ(launch.at<int*>(offsetof(Packed, d)), &cell);
  EXPECT_EQ(launch.at<Triple>(offsetof(Packed, e)).b, 2.0);
  EXPECT_EQ(launch.at<Triple>(offsetof(Packed, e)).c, 3);
}

TEST(Range, OfAThreadIsTheInnermostThatItEntered) {
  using hipsight::runtime::current_range;
  EXPECT_EQ(hipsight_range_pop(), -1);
  EXPECT_EQ(hipsight_range_push(nullptr), -1);
  EXPECT_EQ(hipsight_range_push("step"), 0);
  const std::uint64_t entry = current_range().entry;
  EXPECT_EQ(hipsight_range_push("attention"), 1);
  EXPECT_EQ(current_range().name, "step / attention");
  std::thread([] { EXPECT_EQ(current_range().name, ""); }).join();
  EXPECT_EQ(hipsight_range_pop(), 1);
  EXPECT_EQ(current_range().name, "step");
  EXPECT_EQ(current_range().entry, entry);
  EXPECT_EQ(hipsight_range_pop(), 0);
  EXPECT_EQ(current_range().name, "");
  EXPECT_EQ(hipsight_range_push("step"), 0);
  EXPECT_NE(current_range().entry, entry);
  EXPECT_EQ(hipsight_range_pop(), 0);
}

TEST_F(LaunchTest, GridCountsWorkItemsAndHiddenArgumentsFollow) {
  launch_arguments({2, 3, 4}, {8, 2, 1}, 100, nullptr, 0, 0, 0, nullptr, {});
  ASSERT_EQ(fake::launches().size(), 1u);
  const fake::Launch& launch = fake::launches()[0];
  const auto& dispatch = launch.dispatch;
  EXPECT_EQ(dispatch.grid.x, 16u);
  EXPECT_EQ(dispatch.grid.y, 6u);
  EXPECT_EQ(dispatch.grid.z, 4u);
  EXPECT_EQ(dispatch.block.x, 8u);
  EXPECT_EQ(dispatch.block.y, 2u);
  EXPECT_EQ(dispatch.dynamic_lds, 100u);
  EXPECT_FALSE(dispatch.cooperative);
  EXPECT_EQ(launch.hidden("hidden_block_count_x"), 2u);
  EXPECT_EQ(launch.hidden("hidden_block_count_y"), 3u);
  EXPECT_EQ(launch.hidden("hidden_block_count_z"), 4u);
  EXPECT_EQ(launch.hidden("hidden_group_size_x"), 8u);
  EXPECT_EQ(launch.hidden("hidden_group_size_y"), 2u);
  EXPECT_EQ(launch.hidden("hidden_group_size_z"), 1u);
  EXPECT_EQ(launch.hidden("hidden_remainder_x"), 0u);
  EXPECT_EQ(launch.hidden("hidden_grid_dims"), 3u);
  EXPECT_EQ(launch.kernarg.size(), launch.dispatch.kernel->kernarg_size);
}

TEST_F(LaunchTest, ModuleLaunchTakesParametersOrAPackedBuffer) {
  const hipFunction_t f = function(arguments_stub());
  Packed packed{'y', 1.5, 7, nullptr, {4, 5.0, 6}};
  auto parameters = pointers(packed.a, packed.b, packed.c, packed.d, packed.e);
  ASSERT_EQ(hipModuleLaunchKernel(f, 3, 1, 1, 64, 1, 1, 0, nullptr, parameters.data(), nullptr),
            hipSuccess);
  std::size_t size = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  ASSERT_EQ(hipModuleLaunchKernel(f, 3, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra), hipSuccess);
  ASSERT_EQ(fake::launches().size(), 2u);
  for (const fake::Launch& launch : fake::launches()) {
    EXPECT_EQ(launch.dispatch.grid.x, 192u);
    EXPECT_EQ(launch.at<char>(offsetof(Packed, a)), 'y');
    EXPECT_EQ(launch.at<double>(offsetof(Packed, b)), 1.5);
    EXPECT_EQ(launch.at<Triple>(offsetof(Packed, e)).a, 4);
    EXPECT_EQ(launch.hidden("hidden_block_count_x"), 3u);
  }
}

TEST_F(LaunchTest, ExtModuleLaunchCountsWorkItemsAndAllowsARemainder) {
  const hipFunction_t f = function(scale_stub());
  float* data = nullptr;
  float factor = 2;
  int count = 100;
  auto parameters = pointers(data, factor, count);
  const hipError_t result =
      hipExtModuleLaunchKernel(f, 100, 1, 1, 64, 1, 1, 0, nullptr, parameters.data(), nullptr);
  if (fake::launches().empty()) {
    // clang marks kernels "uniform": then a remainder is refused.
    EXPECT_EQ(result, hipErrorInvalidValue);
    ASSERT_EQ(
        hipExtModuleLaunchKernel(f, 128, 1, 1, 64, 1, 1, 0, nullptr, parameters.data(), nullptr),
        hipSuccess);
    ASSERT_EQ(fake::launches().size(), 1u);
    EXPECT_TRUE(fake::launches()[0].dispatch.kernel->uniform_workgroup_size);
    EXPECT_EQ(fake::launches()[0].hidden("hidden_block_count_x"), 2u);
  } else {
    EXPECT_EQ(fake::launches()[0].hidden("hidden_block_count_x"), 1u);
    EXPECT_EQ(fake::launches()[0].hidden("hidden_remainder_x"), 36u);
  }
}

TEST_F(LaunchTest, ExtLaunchRecordsEventsBeforeAndAfterTheKernel) {
  hipEvent_t start = nullptr, stop = nullptr;
  ASSERT_EQ(hipEventCreate(&start), hipSuccess);
  ASSERT_EQ(hipEventCreate(&stop), hipSuccess);
  fake::on_launch() = [](const auto&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  float* data = nullptr;
  float factor = 3;
  int count = 128;
  auto parameters = pointers(data, factor, count);
  const auto launch = [&](hipEvent_t after) {
    return hipExtLaunchKernel(scale_stub(), dim3(2), dim3(64), parameters.data(), 32, nullptr,
                              start, after, 0);
  };
  ASSERT_EQ(launch(stop), hipSuccess);
  ASSERT_EQ(hipEventSynchronize(stop), hipSuccess);
  ASSERT_EQ(fake::launches().size(), 1u);
  const fake::Launch& first = fake::launches()[0];
  EXPECT_EQ(first.dispatch.grid.x, 128u);
  EXPECT_EQ(first.dispatch.dynamic_lds, 32u);
  EXPECT_EQ(first.at<float>(8), 3.0f);
  EXPECT_EQ(first.at<int>(12), 128);
  float ms = 0;
  ASSERT_EQ(hipEventElapsedTime(&ms, start, stop), hipSuccess);
  EXPECT_GE(ms, 20.0f);
  EXPECT_EQ(hipEventDestroy(stop), hipSuccess);
  EXPECT_EQ(launch(stop), hipErrorInvalidHandle);
  EXPECT_EQ(fake::launches().size(), 1u);
  EXPECT_EQ(hipEventDestroy(start), hipSuccess);
}

// They are for tools that look on: a program computes the same with and without.
TEST_F(LaunchTest, ProfilerMarksDropNoLaunches) {
  ASSERT_EQ(hipProfilerStop(), hipSuccess);
  launch_scale(1, 64, nullptr, nullptr, 1, 1);
  ASSERT_EQ(hipProfilerStart(), hipSuccess);
  launch_scale(2, 64, nullptr, nullptr, 1, 1);
  ASSERT_EQ(hipProfilerStop(), hipSuccess);
  ASSERT_EQ(fake::launches().size(), 2u);
  EXPECT_EQ(fake::launches()[0].dispatch.grid.x, 64u);
  EXPECT_EQ(fake::launches()[1].dispatch.grid.x, 128u);
}

TEST_F(LaunchTest, RefusesWhatHipRefuses) {
  const hipFunction_t f = function(arguments_stub());
  Packed p{};
  auto parameters = pointers(p.a, p.b, p.c, p.d, p.e);
  void* extra[] = {HIP_LAUNCH_PARAM_END};
  const auto launch = [&](unsigned gx, unsigned gy, unsigned bx, unsigned by, unsigned lds,
                          void** with, void** packed) {
    return hipModuleLaunchKernel(f, gx, gy, 1, bx, by, 1, lds, nullptr, with, packed);
  };
  EXPECT_EQ(launch(1, 1, 64, 1, 0, parameters.data(), extra), hipErrorInvalidValue);
  EXPECT_EQ(launch(0, 1, 64, 1, 0, parameters.data(), nullptr), hipErrorInvalidValue);
  EXPECT_EQ(launch(1, 1, 64, 0, 0, parameters.data(), nullptr), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch(1, 1, 1025, 1, 0, parameters.data(), nullptr), hipErrorInvalidValue);
  EXPECT_EQ(launch(1, 1, 64, 32, 0, parameters.data(), nullptr), hipErrorInvalidValue);
  EXPECT_EQ(launch(1, 1, 65536, 65536, 0, parameters.data(), nullptr), hipErrorInvalidValue);
  EXPECT_EQ(launch(1, 1, 64, 1, 65537, parameters.data(), nullptr), hipErrorInvalidValue);
  EXPECT_EQ(launch(1, 1, 64, 1, 0, nullptr, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(launch(0x7fffffff, 1, 64, 1, 0, parameters.data(), nullptr),
            hipErrorInvalidConfiguration);
  // More work-items than 64 bits count.
  EXPECT_EQ(hipModuleLaunchKernel(f, 0xffffffff, 0xffffffff, 2, 1, 1, 1, 0, nullptr,
                                  parameters.data(), nullptr),
            hipErrorInvalidConfiguration);
  EXPECT_EQ(
      hipModuleLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters.data(), nullptr),
      hipErrorInvalidHandle);
  EXPECT_EQ(hipModuleLaunchKernel(reinterpret_cast<hipFunction_t>(0x1234), 1, 1, 1, 1, 1, 1, 0,
                                  nullptr, parameters.data(), nullptr),
            hipErrorInvalidHandle);
  EXPECT_TRUE(fake::launches().empty());
}

TEST_F(LaunchTest, LaunchBounds) {
  const hipFunction_t f = function(bounded_stub());
  EXPECT_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr), hipSuccess);
  EXPECT_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 65, 1, 1, 0, nullptr, nullptr, nullptr),
            hipErrorLaunchFailure);
  EXPECT_EQ(fake::launches().size(), 1u);
}

TEST_F(LaunchTest, FixedAndDynamicLdsCountTogether) {
  const hipFunction_t f = function(fixed_lds_stub());
  void* data = nullptr;
  auto parameters = pointers(data);
  EXPECT_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 61440, nullptr, parameters.data(), nullptr),
            hipSuccess);
  EXPECT_EQ(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 61441, nullptr, parameters.data(), nullptr),
            hipErrorInvalidValue);
}

TEST_F(LaunchTest, CooperativeGridsMustFit) {
  void* parameters[] = {nullptr};
  const auto launch = [&](unsigned blocks) {
    return hipLaunchCooperativeKernel(fixed_lds_stub(), dim3(blocks), dim3(256), parameters, 0,
                                      nullptr);
  };
  int per_unit = 0;
  ASSERT_EQ(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, fixed_lds_stub(), 256, 0),
            hipSuccess);
  ASSERT_GT(per_unit, 0);
  const unsigned most = static_cast<unsigned>(per_unit) * 304;  // compute units of an MI300X
  EXPECT_EQ(launch(most), hipSuccess);
  EXPECT_TRUE(fake::launches().back().dispatch.cooperative);
  EXPECT_EQ(launch(most + 1), hipErrorCooperativeLaunchTooLarge);

  const auto launch_function = [&](unsigned blocks) {
    return hipModuleLaunchCooperativeKernel(function(fixed_lds_stub()), blocks, 1, 1, 256, 1, 1, 0,
                                            nullptr, parameters);
  };
  ASSERT_EQ(launch_function(most), hipSuccess);
  EXPECT_TRUE(fake::launches().back().dispatch.cooperative);
  EXPECT_EQ(fake::launches().back().dispatch.grid.x, most * 256);
  EXPECT_EQ(launch_function(most + 1), hipErrorCooperativeLaunchTooLarge);
}

TEST_F(LaunchTest, DestroyedStreamAndUnknownStub) {
  hipStream_t stream = nullptr;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(hipStreamDestroy(stream), hipSuccess);
  launch_arguments({1, 1, 1}, {1, 1, 1}, 0, stream, 0, 0, 0, nullptr, {});
  EXPECT_EQ(hipGetLastError(), hipErrorContextIsDestroyed);
  int not_a_kernel = 0;
  EXPECT_EQ(hipLaunchKernel(&not_a_kernel, dim3(1), dim3(1), nullptr, 0, nullptr),
            hipErrorInvalidDeviceFunction);
  EXPECT_EQ(hipLaunchKernel(nullptr, dim3(1), dim3(1), nullptr, 0, nullptr),
            hipErrorInvalidDeviceFunction);
  EXPECT_TRUE(fake::launches().empty());
}

TEST_F(LaunchTest, OldStyleLaunchByPointer) {
  ASSERT_EQ(hipConfigureCall(dim3(2), dim3(32), 0, nullptr), hipSuccess);
  float* data = nullptr;
  const float factor = 3;
  const int count = 64;
  ASSERT_EQ(hipSetupArgument(static_cast<const void*>(&data), sizeof data, 0), hipSuccess);
  ASSERT_EQ(hipSetupArgument(&factor, sizeof factor, 8), hipSuccess);
  ASSERT_EQ(hipSetupArgument(&count, sizeof count, 12), hipSuccess);
  ASSERT_EQ(hipLaunchByPtr(scale_stub()), hipSuccess);
  ASSERT_EQ(fake::launches().size(), 1u);
  EXPECT_EQ(fake::launches()[0].at<float>(8), 3.0f);
  EXPECT_EQ(fake::launches()[0].at<int>(12), 64);
  EXPECT_EQ(fake::launches()[0].dispatch.grid.x, 64u);
  EXPECT_EQ(hipLaunchByPtr(scale_stub()), hipErrorMissingConfiguration);
  ASSERT_EQ(hipConfigureCall(dim3(1), dim3(64), 0, nullptr), hipSuccess);
  ASSERT_EQ(hipSetupArgument(&count, 0, 0), hipSuccess);
  ASSERT_EQ(hipLaunchByPtr(bounded_stub()), hipSuccess);  // takes no arguments
  ASSERT_EQ(fake::launches().size(), 2u);
  EXPECT_EQ(fake::launches()[1].dispatch.kernel->name, "_Z7boundedv");
}

TEST_F(LaunchTest, ByConfigurationWithAttributes) {
  struct Attribute {
    int id;
    int padding;
    int value[16];
  } attribute{2, 0, {1}};  // cooperative
  struct {
    unsigned grid[3] = {2, 1, 1}, block[3] = {64, 1, 1}, lds = 16;
    hipStream_t stream = nullptr;
    Attribute* attributes;
    unsigned count = 1;
  } driver{.attributes = &attribute};
  struct {
    dim3 grid{3}, block{64};
    std::size_t lds = 0;
    hipStream_t stream = nullptr;
    Attribute* attributes = nullptr;
    unsigned count = 0;
  } config;
  float* data = nullptr;
  float factor = 4;
  int count = 128;
  auto parameters = pointers(data, factor, count);
  ASSERT_EQ(hipDrvLaunchKernelEx(&driver, function(scale_stub()), parameters.data(), nullptr),
            hipSuccess);
  ASSERT_EQ(hipLaunchKernelExC(&config, scale_stub(), parameters.data()), hipSuccess);
  ASSERT_EQ(fake::launches().size(), 2u);
  EXPECT_TRUE(fake::launches()[0].dispatch.cooperative);
  EXPECT_EQ(fake::launches()[0].dispatch.grid.x, 128u);
  EXPECT_EQ(fake::launches()[0].dispatch.dynamic_lds, 16u);
  EXPECT_EQ(fake::launches()[0].at<float>(8), 4.0f);
  EXPECT_FALSE(fake::launches()[1].dispatch.cooperative);
  EXPECT_EQ(fake::launches()[1].dispatch.grid.x, 192u);
  EXPECT_EQ(hipLaunchKernelExC(nullptr, scale_stub(), parameters.data()), hipErrorInvalidValue);
}

// A kernel that fails.

TEST_F(LaunchTest, KernelErrorsAreToldOnceAndStick) {
  fake::on_launch() = [](const auto&) {
    throw KernelError(KernelError::Kind::MemoryAccess, "kernel scale: reads outside of memory");
  };
  testing::internal::CaptureStderr();
  launch_scale(1, 64, nullptr, nullptr, 1, 1);
  EXPECT_EQ(hipStreamSynchronize(nullptr), hipErrorIllegalAddress);
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);  // sticky
  EXPECT_EQ(hipPeekAtLastError(), hipErrorIllegalAddress);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
  launch_scale(1, 64, nullptr, nullptr, 1, 1);
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  EXPECT_EQ(fake::launches().size(), 1u);  // the device is lost: nothing more runs
  int x = 0;
  void* device = nullptr;
  EXPECT_EQ(hipMalloc(&device, 4), hipSuccess);
  EXPECT_EQ(hipMemcpy(device, &x, 4, hipMemcpyHostToDevice), hipErrorIllegalAddress);
  EXPECT_EQ(hipFree(device), hipSuccess);
  EXPECT_EQ(hipDeviceReset(), hipSuccess);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  EXPECT_EQ(hipDeviceSynchronize(), hipSuccess);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("kernel scale: reads outside of memory"), std::string::npos) << text;
  EXPECT_EQ(text.find("reads outside"), text.rfind("reads outside")) << text;
}

TEST_F(LaunchTest, EachKindOfKernelErrorHasItsCode) {
  const std::pair<KernelError::Kind, hipError_t> codes[] = {
      {KernelError::Kind::UnknownInstruction, hipErrorLaunchFailure},
      {KernelError::Kind::MemoryAccess, hipErrorIllegalAddress},
      {KernelError::Kind::Timeout, hipErrorLaunchTimeOut},
      {KernelError::Kind::Trap, hipErrorLaunchFailure},
      {KernelError::Kind::Deadlock, hipErrorLaunchFailure},
  };
  for (const auto& [kind, code] : codes) {
    fake::on_launch() = [kind = kind](const auto&) { throw KernelError(kind, "failed"); };
    launch_scale(1, 64, nullptr, nullptr, 1, 1);
    EXPECT_EQ(hipDeviceSynchronize(), code);
    (void)hipDeviceReset();
  }
}

TEST_F(LaunchTest, NoExceptionLeavesTheLibrary) {
  fake::on_launch() = [](const auto&) { throw std::runtime_error("something unforeseen"); };
  testing::internal::CaptureStderr();
  launch_scale(1, 64, nullptr, nullptr, 1, 1);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorUnknown);
  EXPECT_EQ(hipDeviceReset(), hipSuccess);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("something unforeseen"), std::string::npos);
  fake::on_launch() = [](const auto&) { throw std::bad_alloc(); };
  launch_scale(1, 64, nullptr, nullptr, 1, 1);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorOutOfMemory);
}

// One that no compute unit has room for; what the compiler promises does not count, but what the
// kernel's descriptor asks for.
TEST(OneWorkgroup, HasToFitTheGpu) {
  using hipsight::session::why_none_fits;
  const auto kernel = [](unsigned granules_of_8, unsigned lanes, unsigned scratch, unsigned lds) {
    hipsight::code::Kernel kernel;
    kernel.descriptor.rsrc1 = granules_of_8 - 1;
    kernel.descriptor.properties = lanes == 32 ? 1 << 10 : 0;
    kernel.wavefront_size = lanes;
    kernel.scratch_bytes = scratch;
    kernel.lds_bytes = lds;
    return kernel;
  };
  const auto cdna = hipsight::gpus::find("mi300x");
  const auto rdna = hipsight::gpus::find("rx7900xtx");
  EXPECT_EQ(why_none_fits(cdna, kernel(16, 64, 0, 0), 1024, 0), "");
  EXPECT_EQ(
      why_none_fits(cdna, kernel(25, 64, 0, 0), 1024, 0),
      "a compute unit has no room for its 16 waves of 200 vector registers and 0 bytes of LDS "
      "(not one workgroup fits, for VGPRs)");
  EXPECT_EQ(why_none_fits(cdna, kernel(25, 64, 0, 0), 512, 0), "");
  EXPECT_EQ(why_none_fits(cdna, kernel(64, 64, 0, 0), 256, 0), "");
  EXPECT_NE(why_none_fits(cdna, kernel(64, 64, 0, 0), 257, 0), "");
  EXPECT_NE(why_none_fits(cdna, kernel(1, 64, 0, 60000), 64, 6000), "");
  EXPECT_EQ(why_none_fits(cdna, kernel(1, 64, 131056, 0), 64, 0), "");
  EXPECT_EQ(why_none_fits(cdna, kernel(1, 64, 131060, 0), 64, 0),
            "131060 bytes of scratch of a work-item are beyond 131056");
  // Half of a WGP: two SIMDs of 1536 registers of 32 lanes, in granules of 24, for 32 waves.
  EXPECT_EQ(why_none_fits(rdna, kernel(12, 32, 0, 0), 1024, 0), "");
  EXPECT_NE(why_none_fits(rdna, kernel(13, 32, 0, 0), 1024, 0), "");
}

}  // namespace
