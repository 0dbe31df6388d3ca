// Reductions over a wave and over a workgroup of kThreads; every thread gets the result.
#pragma once

#include <hip/hip_runtime.h>

struct Add {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <class T, class Combine>
__device__ T reduce_wave(T value, Combine combine) {
  for (int distance = warpSize / 2; distance > 0; distance /= 2)
    value = combine(value, __shfl_xor(value, distance));
  return value;
}

template <int kThreads, class T, class Combine>
__device__ T reduce_workgroup(T value, Combine combine) {
  __shared__ T of_wave[kThreads / 32];  // waves are of 32 or 64
  value = reduce_wave(value, combine);
  __syncthreads();  // an earlier reduction may still be read
  if (threadIdx.x % warpSize == 0) of_wave[threadIdx.x / warpSize] = value;
  __syncthreads();
  value = of_wave[0];
  for (int wave = 1; wave < kThreads / warpSize; wave++) value = combine(value, of_wave[wave]);
  return value;
}
