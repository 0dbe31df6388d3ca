#include <hip/hip_runtime.h>

extern "C" __global__ void triad(unsigned n, float factor, float* a, const float* b) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = a[i] + factor * b[i];
}
