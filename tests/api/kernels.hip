#include <hip/hip_runtime.h>

#include "../../examples/api/triad.hip"

template <class T>
__global__ void fill(T* to, T value) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
template __global__ void fill(int*, int);
template __global__ void fill(double*, double);

__device__ int counter = 5;
__managed__ int managed = 7;

extern "C" __global__ void count(int by) {
  atomicAdd(&counter, by);
  atomicAdd(&managed, by);
}

extern "C" __global__ void wild(int* at) {
  *at = 1;
}

extern "C" __global__ void endless(volatile int* flag) {
  while (*flag == 0) {
  }
}

extern "C" __global__ void trap(int yes) {
  if (yes) __builtin_trap();
}

/// A neighbour's value is read with no barrier between.
extern "C" __global__ void race(int* out) {
  __shared__ int values[256];
  values[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = values[(threadIdx.x + 64) % 256];
}

/// Past the end of a buffer, but on its last page: a GPU lets it pass.
extern "C" __global__ void beyond(int* buffer, int size) {
  buffer[size] = 1;
}
