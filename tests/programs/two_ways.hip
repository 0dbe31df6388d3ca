// One kernel in two forms, in blocks as the first argument has it; compare_test.cpp, tune_test.cpp.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

constexpr int side = 1024, tile = 32;

// A transposition: through LDS, or with stores that are a row apart.
__global__ void transposed(const float* in, float* out) {
  const int rows = blockDim.y, x = threadIdx.x, left = blockIdx.x * tile, top = blockIdx.y * tile;
#ifdef TILED
  __shared__ float shared[tile][tile + 1];
  for (int y = threadIdx.y; y < tile; y += rows) shared[y][x] = in[(top + y) * side + left + x];
  __syncthreads();
  for (int y = threadIdx.y; y < tile; y += rows) out[(left + y) * side + top + x] = shared[x][y];
#else
  for (int y = threadIdx.y; y < tile; y += rows)
    out[(left + x) * side + top + y] = in[(top + y) * side + left + x];  // far apart
#endif
}

int main(int count, char** arguments) {
  const int rows = count > 1 ? std::atoi(arguments[1]) : 8;
  if (rows < 1 || rows > tile) {
    std::fprintf(stderr, "no block of %d rows\n", rows);
    return 3;
  }
  float *in = nullptr, *out = nullptr;
  if (hipMalloc(&in, sizeof(float) * side * side) != hipSuccess ||
      hipMalloc(&out, sizeof(float) * side * side) != hipSuccess)
    return 1;
  transposed<<<dim3(side / tile, side / tile), dim3(tile, rows)>>>(in, out);
  transposed<<<dim3(side / tile, side / tile / 2), dim3(tile, rows)>>>(in, out);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
