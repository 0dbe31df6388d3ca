// Kernels that `hipsight run --grid` launches; code_test.cpp.
#include <hip/hip_runtime.h>

#include <cstdio>

struct Pair {
  short a, b;
};
__global__ void show(const float* x, double d, Pair pair, const int* counted, const float* again,
                     unsigned char* file) {
  extern __shared__ int dynamic[];
  if (threadIdx.x || threadIdx.y) return;
  dynamic[100] = 5;
  const dim3 grid = gridDim, block = blockDim;
  printf("grid %u %u %u, block %u %u, x in range %d, %g, %d %d, %d, same %d, %c%c, %d\n", grid.x,
         grid.y, grid.z, block.x, block.y, x[70000] < 1 && x[70000] != 0, d, pair.a, pair.b,
         counted[999], x == again, file[0], file[1], dynamic[100]);
}
__global__ void shown_not(int* out) {
  out[blockIdx.x] = 1;
}
