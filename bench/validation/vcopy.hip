// A copy of doubles, one a work-item, as the workload of rocprofiler-compute has it: `vcopy`.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void vec_copy(double* a, double* b, double* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}

int main() {
  constexpr int n = 1 << 20, block = 256;
  double* arrays[3];
  for (double*& array : arrays)
    if (hipMalloc(&array, n * sizeof(double)) != hipSuccess) return 1;
  vec_copy<<<n / block, block>>>(arrays[0], arrays[1], arrays[2], n);
  const hipError_t error = hipDeviceSynchronize();
  if (error != hipSuccess) std::fprintf(stderr, "vcopy: %s\n", hipGetErrorString(error));
  return error != hipSuccess;
}
