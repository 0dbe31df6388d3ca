// What the host asks of the GPU runtime: HIP's, or CUDA's if nvcc compiles.
#pragma once

#include <string>

#include "arch/architecture.h"

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

inline Device current_device() {
  Device device;
#if defined(__CUDACC__)
  int number = 0, major = 0;
  if (cudaGetDevice(&number) != cudaSuccess) return {.error = "there is no device"};
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number);
  cudaDeviceGetAttribute(&device.compute_units, cudaDevAttrMultiProcessorCount, number);
  if (major >= 8)
    device.architecture = Architecture::ampere;
  else
    device.error = "the device is older than sm_80";
#else
  int number = 0;
  hipDeviceProp_t properties;
  if (hipGetDevice(&number) != hipSuccess ||
      hipGetDeviceProperties(&properties, number) != hipSuccess)
    return {.error = "there is no device"};
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

/// What went wrong since the last call, or empty.
inline std::string last_error() {
#if defined(__CUDACC__)
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? "" : cudaGetErrorString(error);
#else
  const hipError_t error = hipGetLastError();
  return error == hipSuccess ? "" : hipGetErrorString(error);
#endif
}

}  // namespace hipsight::kernels
