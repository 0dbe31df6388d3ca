// Workgroups and waves that wait for others, as stream-K, grid-wide barriers and locks do.
//   waiting CASE [WORKGROUPS]
#include <vector>

#include "check.h"

__device__ int read(const int* at) {
  return __hip_atomic_load(at, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ void write(int* at, int value) {
  __hip_atomic_store(at, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
}

// The first workgroup waits for the last.
__global__ void later_workgroup(int* flag, int* out) {
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) write(flag, 42);
  if (blockIdx.x == 0)
    while (read(flag) != 42) {
    }
  out[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x == 0 ? read(flag) : 42;
}

// Each workgroup waits for the next one.
__global__ void chain(int* flags, int* out) {
  const bool last = blockIdx.x == gridDim.x - 1;
  if (threadIdx.x == 0) {
    if (!last)
      while (read(flags + blockIdx.x + 1) == 0) {
      }
    write(flags + blockIdx.x, last ? 42 : read(flags + blockIdx.x + 1));
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = read(flags + blockIdx.x);
}

// All workgroups meet, five times: what one wrote before, its neighbour reads after.
__global__ void grid_barrier(int* state, int* out) {
  int* const arrived = state;
  int* const values = state + 1;
  int sum = 0;
  for (int round = 1; round <= 5; ++round) {
    if (threadIdx.x == 0) {
      write(values + blockIdx.x, round);
      __hip_atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
      while (read(arrived) < round * static_cast<int>(gridDim.x)) __builtin_amdgcn_s_sleep(1);
    }
    __syncthreads();
    // A neighbour may be a round ahead, never behind.
    const int value = read(values + (blockIdx.x + 1) % gridDim.x);
    sum += value == round || value == round + 1;
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum == 5 ? 42 : sum;
}

// One lock for all: without it the sum would come out too small.
__global__ void lock(int* state, int* out) {
  int* const taken = state;
  int* const sum = state + 1;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 10; ++i) {
      while (__hip_atomic_exchange(taken, 1, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT))
        __builtin_amdgcn_s_sleep(1);
      const int before = __hip_atomic_load(sum, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
      __hip_atomic_store(sum, before + 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
      write(taken, 0);
    }
    while (read(sum) != 10 * static_cast<int>(gridDim.x)) __builtin_amdgcn_s_sleep(1);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = 42;
}

// Within a workgroup, the first wave waits for the last.
__global__ void later_wave(int* flags, int* out) {
  int* const flag = flags + blockIdx.x;
  if (threadIdx.x == blockDim.x - 1) write(flag, 42);
  if (threadIdx.x < 32)
    while (read(flag) != 42) {
    }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = read(flag);
}

// Nobody waits: a loop that is long enough to look like it.
__global__ void long_loop(int* out) {
  __shared__ int tile[16384];
  for (int i = threadIdx.x; i < 16384; i += blockDim.x) tile[i] = 1;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  int sum = 0;
#pragma unroll 1
  for (int i = 0; i < 60000; ++i) sum = sum * 3 + tile[threadIdx.x];
  for (unsigned i = threadIdx.x; i < blockDim.x; i += 32)
    out[blockIdx.x * blockDim.x + i] = sum ? 42 : 0;
}

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const int groups = argc > 2 ? std::atoi(argv[2]) : 100, threads = 128;
  int* const state = device_array<int>(groups + 1);
  int* const out = device_array<int>(groups * threads);
  MUST(hipMemset(state, 0, (groups + 1) * sizeof(int)));
  MUST(hipMemset(out, 0, groups * threads * sizeof(int)));
  if (name == "later_workgroup") later_workgroup<<<groups, threads>>>(state, out);
  if (name == "chain") chain<<<groups, threads>>>(state, out);
  if (name == "grid_barrier") grid_barrier<<<groups, threads>>>(state, out);
  if (name == "lock") lock<<<groups, threads>>>(state, out);
  if (name == "later_wave") later_wave<<<groups, threads>>>(state, out);
  if (name == "long_loop") long_loop<<<groups, threads>>>(out);
  MUST(hipDeviceSynchronize());

  std::vector<int> host(groups * threads);
  MUST(hipMemcpy(host.data(), out, host.size() * sizeof(int), hipMemcpyDeviceToHost));
  int right = 0;
  for (const int value : host) right += value == 42;
  std::printf("%d of %d\n", right, groups * threads);
  return right == groups * threads ? 0 : 1;
}
