// A copy of doubles, one a work-item, as the workload of rocprofiler-compute has it.
#include <hip/hip_runtime.h>

__global__ void vec_copy(double* a, double* b, double* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}
