// Modules and registered fat binaries.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "../patience.h"
#include "fake_engine.h"
#include "kernels.h"

extern "C" {
void** __hipRegisterFatBinary(const void* wrapper);
void __hipUnregisterFatBinary(void** handle);
void __hipRegisterFunction(void** handle, const void* stub, char* device_function,
                           const char* device_name, unsigned, void*, void*, void*, void*, int*);
}

namespace {

std::vector<char> contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}
std::string file(const char* name) {
  return std::string(HIPSIGHT_TEST_FILES "/") + name;
}

struct Wrapper {
  unsigned magic = 0x48495046, version = 1;
  const void* binary = nullptr;
  void* unused = nullptr;
};

TEST(Module, LoadsWhatFitsTheDevice) {
  hipModule_t module = nullptr;
  const auto bundle = contents(file("kernels.hipfb"));  // gfx90a and gfx942
  ASSERT_EQ(hipModuleLoadData(&module, bundle.data()), hipSuccess);
  hipFunction_t function = nullptr;
  ASSERT_EQ(hipModuleGetFunction(&function, module, "_Z5storePii"), hipSuccess);
  int* where = nullptr;
  int value = 3;
  auto parameters = pointers(where, value);
  fake::reset();
  ASSERT_EQ(
      hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters.data(), nullptr),
      hipSuccess);
  EXPECT_EQ(fake::launches().at(0).dispatch.module->object().target().processor, "gfx942");
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
  fake::reset();
}

TEST(Module, OptionsChangeNothing) {
  const auto image = contents(file("kernels_gfx942.co"));
  hipJitOption options[] = {hipJitOptionMaxRegisters, hipJitOptionOptimizationLevel};
  void* values[] = {reinterpret_cast<void*>(8), nullptr};
  hipModule_t module = nullptr;
  ASSERT_EQ(hipModuleLoadDataEx(&module, image.data(), 2, options, values), hipSuccess);
  hipFunction_t function = nullptr;
  ASSERT_EQ(hipModuleGetFunction(&function, module, "_Z5storePii"), hipSuccess);
  fake::reset();
  int* where = nullptr;
  int value = 3;
  auto parameters = pointers(where, value);
  ASSERT_EQ(
      hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters.data(), nullptr),
      hipSuccess);
  ASSERT_EQ(fake::launches().size(), 1u);
  EXPECT_EQ(fake::launches()[0].at<int>(8), 3);
  fake::reset();
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
  EXPECT_EQ(hipModuleLoadDataEx(&module, nullptr, 0, nullptr, nullptr), hipErrorInvalidValue);
}

TEST(Module, FromAFile) {
  hipModule_t module = nullptr;
  ASSERT_EQ(hipModuleLoad(&module, file("kernels_gfx942.co").c_str()), hipSuccess);
  hipFunction_t function = nullptr, again = nullptr;
  EXPECT_EQ(hipModuleGetFunction(&function, module, "_Z5storePii"), hipSuccess);
  EXPECT_EQ(hipModuleGetFunction(&again, module, "_Z5storePii"), hipSuccess);
  EXPECT_EQ(function, again);
  EXPECT_EQ(hipModuleGetFunction(&function, module, "no_such_kernel"), hipErrorNotFound);
  EXPECT_EQ(hipModuleGetFunction(&function, module, "counter"), hipErrorNotFound);
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
  EXPECT_EQ(hipModuleUnload(module), hipErrorNotFound);
  EXPECT_EQ(hipModuleUnload(nullptr), hipErrorInvalidHandle);
  EXPECT_EQ(hipModuleLoad(&module, ""), hipErrorInvalidValue);
  EXPECT_EQ(hipModuleGetFunction(&function, module, "_Z5storePii"), hipErrorInvalidHandle);
  EXPECT_EQ(hipModuleLaunchKernel(again, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            hipErrorInvalidHandle);
  EXPECT_EQ(hipModuleLoad(&module, "/no/such/file.co"), hipErrorFileNotFound);
}

TEST(Module, GlobalsHaveTheirValueAndSize) {
  hipModule_t module = nullptr;
  ASSERT_EQ(hipModuleLoad(&module, file("kernels_gfx942.co").c_str()), hipSuccess);
  hipDeviceptr_t address = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(hipModuleGetGlobal(&address, &size, module, "counter"), hipSuccess);
  EXPECT_EQ(size, sizeof(int));
  int value = 0;
  ASSERT_EQ(hipMemcpyDtoH(&value, address, size), hipSuccess);
  EXPECT_EQ(value, 7);
  ASSERT_EQ(hipModuleGetGlobal(&address, &size, module, "table"), hipSuccess);
  EXPECT_EQ(size, 4 * sizeof(float));
  EXPECT_EQ(hipModuleGetGlobal(&address, &size, module, "missing"), hipErrorNotFound);
  EXPECT_EQ(hipModuleUnload(module), hipSuccess);
}

TEST(Module, NoBinaryForThisGpuNamesBoth) {
  const auto other = contents(file("kernels_gfx1100.co"));
  hipModule_t module = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(hipModuleLoadData(&module, other.data()), hipErrorNoBinaryForGpu);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("gfx1100"), std::string::npos) << text;
  EXPECT_NE(text.find("gfx942"), std::string::npos) << text;
}

TEST(Module, BadImagesAreErrors) {
  hipModule_t module = nullptr;
  const std::vector<char> noise(4096, 'n');
  EXPECT_EQ(hipModuleLoadData(&module, noise.data()), hipErrorInvalidImage);
  EXPECT_EQ(hipModuleLoadData(&module, nullptr), hipErrorInvalidValue);
  EXPECT_EQ(hipModuleLoadData(nullptr, noise.data()), hipErrorInvalidValue);
  EXPECT_EQ(hipModuleLoadData(&module, reinterpret_cast<void*>(8)), hipErrorInvalidImage);
  auto cut = contents(file("kernels_gfx942.co"));
  cut.resize(cut.size() / 2);
  const std::string cut_file = testing::TempDir() + "cut.co";
  std::ofstream(cut_file, std::ios::binary)
      .write(cut.data(), static_cast<std::streamsize>(cut.size()));
  EXPECT_EQ(hipModuleLoad(&module, cut_file.c_str()), hipErrorInvalidImage);
}

TEST(Registration, NothingIsReadBeforeItIsNeeded) {
  // A fat binary that cannot be read is no error until a kernel of it is launched.
  static const char noise[64] = "not a fat binary";
  Wrapper wrapper;
  wrapper.binary = noise;
  void** handle = __hipRegisterFatBinary(&wrapper);
  ASSERT_NE(handle, nullptr);
  static char stub;
  __hipRegisterFunction(handle, &stub, nullptr, "kernel", ~0u, nullptr, nullptr, nullptr, nullptr,
                        nullptr);
  EXPECT_EQ(hipLaunchKernel(&stub, dim3(1), dim3(1), nullptr, 0, nullptr), hipErrorInvalidImage);
  __hipUnregisterFatBinary(handle);
  EXPECT_EQ(hipLaunchKernel(&stub, dim3(1), dim3(1), nullptr, 0, nullptr),
            hipErrorInvalidDeviceFunction);
  __hipUnregisterFatBinary(handle);  // a second time: nothing happens
}

TEST(Registration, ThousandsOfKernelsAreQuick) {
  std::vector<Wrapper> wrappers(200);
  std::vector<char> stubs(16000);
  std::vector<void**> handles;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < stubs.size(); ++i) {
    if (i % 80 == 0) handles.push_back(__hipRegisterFatBinary(&wrappers[i / 80]));
    __hipRegisterFunction(handles.back(), &stubs[i], nullptr, "name", ~0u, nullptr, nullptr,
                          nullptr, nullptr, nullptr);
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  EXPECT_LT(time.count(), hipsight::patience(0.5));
  EXPECT_STREQ(hipKernelNameRefByPtr(&stubs[9999], nullptr), "name");
  for (void** handle : handles) __hipUnregisterFatBinary(handle);
  EXPECT_EQ(hipKernelNameRefByPtr(&stubs[9999], nullptr), nullptr);
}

TEST(Registration, ForeignWrappersAreRefused) {
  Wrapper wrapper;
  wrapper.magic = 0x466243b1;  // CUDA's
  testing::internal::CaptureStderr();
  EXPECT_EQ(__hipRegisterFatBinary(&wrapper), nullptr);
  EXPECT_EQ(__hipRegisterFatBinary(nullptr), nullptr);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("not a fat binary"), std::string::npos);
  __hipRegisterFunction(nullptr, &wrapper, nullptr, "kernel", ~0u, nullptr, nullptr, nullptr,
                        nullptr, nullptr);
  __hipUnregisterFatBinary(nullptr);
}

TEST(Symbol, CopiesToAndFromDeviceVariables) {
  int value = 0;
  ASSERT_EQ(hipMemcpyFromSymbol(&value, counter_variable(), sizeof value, 0, hipMemcpyDeviceToHost),
            hipSuccess);
  EXPECT_EQ(value, 7);
  value = 21;
  ASSERT_EQ(hipMemcpyToSymbol(counter_variable(), &value, sizeof value, 0, hipMemcpyHostToDevice),
            hipSuccess);
  value = 0;
  ASSERT_EQ(hipMemcpyFromSymbol(&value, counter_variable(), sizeof value, 0, hipMemcpyDeviceToHost),
            hipSuccess);
  EXPECT_EQ(value, 21);
  float two = 0;
  ASSERT_EQ(hipMemcpyFromSymbol(&two, table_variable(), sizeof two, 4, hipMemcpyDeviceToHost),
            hipSuccess);
  EXPECT_EQ(two, 2.0f);
  void* address = nullptr;
  std::size_t size = 0;
  EXPECT_EQ(hipGetSymbolAddress(&address, table_variable()), hipSuccess);
  EXPECT_EQ(static_cast<float*>(address)[3], 8.0f);
  EXPECT_EQ(hipGetSymbolSize(&size, table_variable()), hipSuccess);
  EXPECT_EQ(size, 16u);
}

TEST(Symbol, ChecksBoundsAndNames) {
  float value[5] = {};
  EXPECT_EQ(hipMemcpyToSymbol(table_variable(), value, 20, 0, hipMemcpyHostToDevice),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyToSymbol(table_variable(), value, 8, 12, hipMemcpyHostToDevice),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyToSymbol(table_variable(), value, 4, ~std::size_t{0}, hipMemcpyHostToDevice),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpyToSymbol(static_cast<const void*>(value), value, 4, 0, hipMemcpyHostToDevice),
            hipErrorInvalidSymbol);
  EXPECT_EQ(hipMemcpyToSymbol(nullptr, value, 4, 0, hipMemcpyHostToDevice), hipErrorInvalidSymbol);
  EXPECT_EQ(hipMemcpyToSymbol(table_variable(), value, 4, 0, hipMemcpyDeviceToHost),
            hipErrorInvalidMemcpyDirection);
}

TEST(Symbol, ManagedVariablesAreOneMemoryForHostAndDevice) {
  EXPECT_EQ(common_variable(), 3);
  common_variable() = 5;
  // Device code reaches it by a pointer in its own image, which the runtime has set.
  fake::reset();
  launch_store(nullptr, 0);
  ASSERT_EQ(fake::launches().size(), 1u);
  const auto& code = *fake::launches()[0].dispatch.module;
  const auto* symbol = code.object().find_symbol("common");
  ASSERT_NE(symbol, nullptr);
  int* seen = nullptr;
  std::memcpy(static_cast<void*>(&seen), code.address(symbol->address), sizeof seen);
  EXPECT_EQ(seen, &common_variable());
  hipPointerAttribute_t attributes{};
  EXPECT_EQ(hipPointerGetAttributes(&attributes, seen), hipSuccess);
  EXPECT_EQ(attributes.isManaged, 1);
  fake::reset();
}

}  // namespace
