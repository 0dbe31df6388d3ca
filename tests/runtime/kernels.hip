#include <hip/hip_runtime.h>

// Needs what is above.
#include <hip/hip_cooperative_groups.h>

#include "kernels.h"

__device__ int counter = 7;
__constant__ float table[4] = {1, 2, 4, 8};
__managed__ int common = 3;

__global__ void arguments(char a, double b, short c, int* d, Triple e) {
  const unsigned i = (blockIdx.y * blockDim.y + threadIdx.y) * gridDim.x * blockDim.x +
                     blockIdx.x * blockDim.x + threadIdx.x;
  d[i] = a + static_cast<int>(b) + c + e.a + static_cast<int>(e.b) + e.c;
}

__global__ void scale(float* data, float factor, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) data[i] *= factor;
}

__global__ void sum(const int* from, int* total, int count) {
  extern __shared__ int part[];
  const unsigned lane = threadIdx.x;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + lane);
  part[lane] = i < count ? from[i] : 0;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (lane < half) part[lane] += part[lane + half];
  }
  if (lane == 0) atomicAdd(total, part[0]);
}

__global__ void variables(int* result) {
  atomicAdd(&counter, 1);
  result[0] = static_cast<int>(table[threadIdx.x % 4] + table[3]);
  result[1] = common;
  common = 11;
}

__global__ void store(int* where, int value) {
  *where = value;
}

// A test changes the number in its code. Lanes leave the inner loop one by one, so it is translated
// with it.
__global__ void hash(unsigned* data, int turns) {
  unsigned a = data[threadIdx.x], b = 3, c = 5;
  for (int i = 0; i < turns; ++i) {
    a = a * 0x13579bdfu + b;
    b ^= a >> 7;
    c = b & 1 ? c + a : c ^ b;
    for (unsigned k = 0; k < (c & 3); ++k) b += k * 0x13579bdfu;
  }
  data[threadIdx.x] = a + b + c;
}

__global__ void forever(int* flag) {
  while (__hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {
  }
}

__global__ __launch_bounds__(64) void bounded() {
  counter = 1;
}

__global__ void fixed_lds(int* to) {
  __shared__ volatile int cells[1024];
  cells[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  to[threadIdx.x] = cells[1023 - threadIdx.x];
}

// Each work-item adds to *sum; when all of the grid have, each block notes what it sees.
__global__ void meet(int* sum, int* seen) {
  atomicAdd(sum, 1);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0)
    seen[blockIdx.x] = __hip_atomic_load(sum, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// The same over the grids of several devices; `seen` is of each grid.
__global__ void meet_all(int* sum, int* seen) {
  auto all = cooperative_groups::this_multi_grid();
  atomicAdd_system(sum, 1);
  all.sync();
  if (threadIdx.x == 0)
    seen[blockIdx.x] = __hip_atomic_load(sum, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
  if (all.thread_rank() + 1 == all.size())  // the last of the last grid
    seen[gridDim.x] = static_cast<int>(all.num_grids() * 100 + all.grid_rank());
}

void launch_arguments(Extent grid, Extent block, std::size_t lds, hipStream_t stream, char a,
                      double b, short c, int* d, Triple e) {
  arguments<<<dim3(grid.x, grid.y, grid.z), dim3(block.x, block.y, block.z), lds, stream>>>(a, b, c,
                                                                                            d, e);
}
void launch_scale(unsigned blocks, unsigned threads, hipStream_t stream, float* data, float factor,
                  int count) {
  scale<<<blocks, threads, 0, stream>>>(data, factor, count);
}
void launch_sum(unsigned blocks, hipStream_t stream, const int* from, int* total, int count) {
  sum<<<blocks, 256, 256 * sizeof(int), stream>>>(from, total, count);
}
void launch_variables(int* result) {
  variables<<<1, 1>>>(result);
}
void launch_store(int* where, int value, hipStream_t stream) {
  store<<<1, 1, 0, stream>>>(where, value);
}
void launch_forever(int* flag, hipStream_t stream) {
  forever<<<1, 64, 0, stream>>>(flag);
}

const void* arguments_stub() {
  return reinterpret_cast<const void*>(&arguments);
}
const void* bounded_stub() {
  return reinterpret_cast<const void*>(&bounded);
}
const void* fixed_lds_stub() {
  return reinterpret_cast<const void*>(&fixed_lds);
}
const void* meet_stub() {
  return reinterpret_cast<const void*>(&meet);
}
const void* meet_all_stub() {
  return reinterpret_cast<const void*>(&meet_all);
}
const void* scale_stub() {
  return reinterpret_cast<const void*>(&scale);
}

const void* counter_variable() {
  return &counter;
}
const void* table_variable() {
  return &table;
}
int& common_variable() {
  return common;
}
