// What the tests of kernels ask of HIP, on CUDA: they run on an NVIDIA GPU then (nvidia.cmake).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;
inline constexpr auto hipSuccess = cudaSuccess;
inline constexpr unsigned hipMemAttachGlobal = cudaMemAttachGlobal;
inline constexpr auto hipDeviceAttributeWarpSize = cudaDevAttrWarpSize;

inline hipError_t hipMallocManaged(void** data, std::size_t bytes, unsigned flags) {
  return cudaMallocManaged(data, bytes, flags);
}
inline hipError_t hipMalloc(void** data, std::size_t bytes) {
  return cudaMalloc(data, bytes);
}
inline hipError_t hipFree(void* data) {
  return cudaFree(data);
}
inline hipError_t hipDeviceSynchronize() {
  return cudaDeviceSynchronize();
}
inline const char* hipGetErrorString(hipError_t error) {
  return cudaGetErrorString(error);
}
inline hipError_t hipGetDeviceCount(int* count) {
  return cudaGetDeviceCount(count);
}
inline hipError_t hipGetDevice(int* device) {
  return cudaGetDevice(device);
}
inline hipError_t hipDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return cudaDeviceGetAttribute(value, attribute, device);
}

// Of sources that nvcc does not compile: they see the library as for AMD's GPUs. The objects of
// nvcc come first, so what both have of the library is CUDA's.
struct hipDeviceProp_t {
  int multiProcessorCount;
  const char* gcnArchName;
};
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t*, int) {
  return cudaErrorNotSupported;
}
inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, int) {
  return cudaErrorNotSupported;
}
inline hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, std::size_t, hipStream_t) {
  return cudaErrorNotSupported;
}
