// What the host asks of the GPU runtime: HIP's, or CUDA's if nvcc compiles.
#pragma once

#include <string>

#include "arch/architecture.h"
#include "check.h"
#include "grid.h"

namespace hipsight::kernels {

#if defined(__CUDACC__)
using Stream = cudaStream_t;
#else
using Stream = hipStream_t;
#endif

/// The current device.
struct Device {
  Architecture architecture = Architecture::host;
  int compute_units = 0;
  std::string error;  // why it cannot be used, or empty
};

namespace detail {

HIPSIGHT_APART inline Device ask_device(int number) {
  Device device;
#if defined(__CUDACC__)
  int major = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number);
  cudaDeviceGetAttribute(&device.compute_units, cudaDevAttrMultiProcessorCount, number);
  if (major >= 8)
    device.architecture = Architecture::ampere;
  else
    device.error = "the device is older than sm_80";
#else
  hipDeviceProp_t properties;
  if (hipGetDeviceProperties(&properties, number) != hipSuccess)
    return {.error = "the device does not say what it is"};
  device.compute_units = properties.multiProcessorCount;
  const std::string name = properties.gcnArchName;
  for (const auto architecture : {Architecture::cdna2, Architecture::cdna3, Architecture::cdna4,
                                  Architecture::rdna3, Architecture::rdna4})
    if (name.starts_with(facts(architecture).name)) device.architecture = architecture;
  if (device.architecture == Architecture::host)
    device.error = "there are no kernels for the device's architecture, " + name;
#endif
  return device;
}

/// Kept until the process ends.
struct Devices {
  int count = 0;
  const Device* all = nullptr;
};
HIPSIGHT_APART inline Devices ask_devices() {
  int count = 0;
#if defined(__CUDACC__)
  if (cudaGetDeviceCount(&count) != cudaSuccess) return {};
#else
  if (hipGetDeviceCount(&count) != hipSuccess) return {};
#endif
  auto* const all = new Device[static_cast<std::size_t>(count)];
  for (int number = 0; number < count; number++) all[number] = ask_device(number);
  return {count, all};
}

}  // namespace detail

/// All devices are asked once: that takes as long as many a kernel.
HIPSIGHT_APART inline Device current_device() {
  static const detail::Devices devices = detail::ask_devices();
  int number = 0;
#if defined(__CUDACC__)
  const bool known = cudaGetDevice(&number) == cudaSuccess;
#else
  const bool known = hipGetDevice(&number) == hipSuccess;
#endif
  if (!known || number >= devices.count) return {.error = "there is no device"};
  return devices.all[number];
}

/// Workgroups of a kernel that a compute unit holds at once; 1 if the runtime does not say.
template <class... Arguments>
int resident_workgroups(void (*kernel)(Arguments...), int threads) {
  int count = 0;
  const auto* const which = reinterpret_cast<const void*>(kernel);
#if defined(__CUDACC__)
  const bool known =
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, which, threads, 0) == cudaSuccess;
#else
  const bool known =
      hipOccupancyMaxActiveBlocksPerMultiprocessor(&count, which, threads, 0) == hipSuccess;
#endif
  return known && count > 0 ? count : 1;
}

namespace detail {

HIPSIGHT_APART inline std::string launch(const void* kernel, const Grid& grid, int threads,
                                         Stream stream, void** arguments) {
  // HIP's manual of hipModuleLaunchKernel: fewer than 2^32 work-items in a dimension.
  if (product({grid.x, threads}) > INT64_C(0xffffffff))
    return std::to_string(grid.x) + " workgroups of " + std::to_string(threads) +
           " work-items are more than a launch takes";
  const dim3 size(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y),
                  static_cast<unsigned>(grid.z));
#if defined(__CUDACC__)
  const cudaError_t error = cudaLaunchKernel(kernel, size, threads, arguments, 0, stream);
  return error == cudaSuccess ? "" : cudaGetErrorString(error);
#else
  const hipError_t error = hipLaunchKernel(kernel, size, threads, arguments, 0, stream);
  return error == hipSuccess ? "" : hipGetErrorString(error);
#endif
}

}  // namespace detail

/// Starts a kernel. The error is this launch's own, in a word of the runtime, or empty.
template <class... Arguments>
std::string launch(void (*kernel)(Arguments...), const Grid& grid, int threads, Stream stream,
                   const Arguments&... arguments) {
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
  return detail::launch(reinterpret_cast<const void*>(kernel), grid, threads, stream, pointers);
}

}  // namespace hipsight::kernels
