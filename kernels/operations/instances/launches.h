// The functions of the HIP runtime that the host's side of kernels calls, in a library of its own:
// so that each launch, planned as on any GPU, comes to whoever called, who makes it on the GPU that
// is meant (hipsight_context::launch). That is one with HIPSIGHT_COMPUTE_UNITS of HIPSIGHT_TARGET.
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <map>

#include "hipsight/operations.h"

namespace {
thread_local const hipsight_context* caller = nullptr;
std::map<const void*, const char*>& kernels() {
  static std::map<const void*, const char*> names;
  return names;
}
}  // namespace

extern "C" {

/// Whose this thread's launches are.
HIPSIGHT_OPERATION void hipsight_called_by(const hipsight_context* context) {
  caller = context;
}

// As clang's registration code calls them. The code itself is loaded from this library's file: to
// the compiler it must look as if it was wanted here.
void** __hipRegisterFatBinary(const void* binary) {
  [[maybe_unused]] static const void* volatile wanted = nullptr;
  wanted = binary;
  static void* none = nullptr;
  return &none;
}
void __hipUnregisterFatBinary(void**) {}
void __hipRegisterFunction(void**, const void* stub, char*, const char* name, unsigned, void*,
                           void*, dim3*, dim3*, int*) {
  kernels()[stub] = name;
}

hipError_t __hipPopCallConfiguration(dim3*, dim3*, std::size_t*, hipStream_t*) {
  return hipErrorUnknown;  // kernels are launched by name, never called
}

hipError_t hipGetDeviceCount(int* count) {
  *count = 1;
  return hipSuccess;
}
hipError_t hipGetDevice(int* device) {
  *device = 0;
  return hipSuccess;
}
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int) {
  *properties = {};
  properties->multiProcessorCount = HIPSIGHT_COMPUTE_UNITS;
  std::strcpy(properties->gcnArchName, HIPSIGHT_TARGET);
  return hipSuccess;
}
/// Kernels that ask plan for one workgroup on a compute unit then.
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, std::size_t) {
  return hipErrorNotSupported;
}

hipError_t hipLaunchKernel(const void* stub, dim3 grid, dim3 block, void** arguments,
                           std::size_t lds, hipStream_t) {
  static const char* const file = [] {
    Dl_info here{};
    dladdr(reinterpret_cast<const void*>(&hipsight_called_by), &here);
    return here.dli_fname;
  }();
  caller->launch(caller->launch_data, file, kernels().at(stub), {grid.x, grid.y, grid.z},
                 {block.x, block.y, block.z}, lds, arguments);
  return hipSuccess;
}

const char* hipGetErrorString(hipError_t) {
  return "an error";
}
}
