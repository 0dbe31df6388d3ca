// Kernels whose waves and workgroups share global memory: each right with FIXED, and wrong in its
// own way without. One is launched, by its name.
#include <cstring>

#include "check.h"

#ifdef FIXED
#define BARRIER() __syncthreads()
#define FENCE() __threadfence()
#else
#define BARRIER()
#define FENCE()
#endif

constexpr int items = 256, groups = 4;

__device__ int load_flag(const int* at) {
  return __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ void store_flag(int* at, int value) {
  __hip_atomic_store(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Each item reads what another wave's item stored in global memory.
__global__ void handover(const float* in, float* out, float* scratch, int*) {
  const int i = threadIdx.x, base = blockIdx.x * items;
  scratch[base + i] = in[i];  // 1 of handover
  BARRIER();
  out[base + i] = scratch[base + items - 1 - i];  // 2 of handover
}
/// Each workgroup reads what the next one stores.
__global__ void neighbour(const float* in, float* out, float* scratch, int*) {
  const int i = blockIdx.x * items + threadIdx.x;
#ifdef FIXED
  out[i] = in[threadIdx.x] + in[(threadIdx.x + 1) % items];
#else
  scratch[i] = in[threadIdx.x];                      // 1 of neighbour
  out[i] = scratch[(i + items) % (items * groups)];  // 2 of neighbour
#endif
}
/// All workgroups add to the same bins by plain additions.
__global__ void bins(const float* in, float*, float*, int* counts) {
#ifdef FIXED
  atomicAdd(&counts[static_cast<int>(in[threadIdx.x]) % 16], 1);
#else
  counts[static_cast<int>(in[threadIdx.x]) % 16] += 1;  // 1 of bins
#endif
}
/// Two workgroups store different values to one place.
__global__ void overlap(const float* in, float* out, float*, int*) {
#ifdef FIXED
  out[blockIdx.x * items + threadIdx.x] = in[threadIdx.x] + blockIdx.x;
#else
  out[blockIdx.x * (items - 1) + threadIdx.x] = in[threadIdx.x] + blockIdx.x;  // 1 of overlap
#endif
}
/// The workgroup that comes last sums what the others have stored: they must have published it.
__global__ void last_one(const float* in, float* out, float* scratch, int* counts) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    scratch[blockIdx.x] = in[blockIdx.x];  // 1 of last_one
    FENCE();
    last = atomicAdd(counts, 1) == groups - 1;
    FENCE();
  }
  __syncthreads();
  if (last && threadIdx.x < groups) out[threadIdx.x] = scratch[threadIdx.x];  // 2 of last_one
}
/// The same where the fence of those who store is there, and that of the reader is not.
__global__ void no_acquire(const float* in, float* out, float* scratch, int* counts) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    scratch[blockIdx.x] = in[blockIdx.x];  // 1 of no_acquire
    __hip_atomic_fetch_add(counts + 1, 0, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
#ifdef FIXED
    last =
        __hip_atomic_fetch_add(counts, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT) == groups - 1;
#else
    last =
        __hip_atomic_fetch_add(counts, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT) == groups - 1;
#endif
  }
  __syncthreads();
  if (last && threadIdx.x < groups) out[threadIdx.x] = scratch[threadIdx.x];  // 2 of no_acquire
}
/// A workgroup waits for a flag of the one before it, which is stored too early.
__global__ void chain(const float* in, float* out, float* scratch, int* counts) {
  if (threadIdx.x != 0) return;
  const int group = blockIdx.x;
  float sum = in[group];
  if (group > 0) {
    while (load_flag(&counts[group - 1]) == 0) __builtin_amdgcn_s_sleep(1);
    __threadfence();
    sum += scratch[group - 1];  // 2 of chain
  }
#ifdef FIXED
  scratch[group] = sum;
  __threadfence();
  store_flag(&counts[group], 1);
#else
  store_flag(&counts[group], 1);
  __threadfence();
  scratch[group] = sum;  // 1 of chain
#endif
  out[group] = sum;
}
/// Halves of one place: bytes of a dword that two workgroups share, or do not.
__global__ void halves(const float* in, float*, float* scratch, int*) {
  auto* const all = reinterpret_cast<unsigned short*>(scratch);
  const auto value = static_cast<unsigned short>(in[threadIdx.x] + blockIdx.x);
#ifdef FIXED
  if (threadIdx.x == 0) all[blockIdx.x] = value;
#else
  if (threadIdx.x == 0) all[blockIdx.x / 2] = value;  // 1 of halves
#endif
}
/// A list whose end is counted by atomics, and read by plain loads beside them.
__global__ void list(const float* in, float*, float* scratch, int* counts) {
  const int i = threadIdx.x;
#ifdef FIXED
  const int at = atomicAdd(counts, 1);
#else
  if (i == 0) atomicAdd(counts, 1);
  const int at = counts[0] * items + i - items;  // 1 of list
#endif
  scratch[at] = in[i];
}
/// In place, where neighbours' old values are wanted.
__global__ void in_place(const float* in, float* out, float* scratch, int*) {
  const int i = blockIdx.x * items + threadIdx.x, n = items * groups;
#ifdef FIXED
  out[i] = in[threadIdx.x] + scratch[i] + scratch[(i + 1) % n];
#else
  const float sum = in[threadIdx.x] + scratch[i] + scratch[(i + 1) % n];  // 1 of in_place
  scratch[i] = sum;                                                       // 2 of in_place
#endif
}

/// No race in either: what is told of must not be more than that.
/// All store the same.
__global__ void same_value(const float* in, float*, float*, int* counts) {
  if (in[threadIdx.x] > 3) counts[0] = 1;
}
/// A lock around plain accesses.
__global__ void lock(const float* in, float*, float* scratch, int* counts) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(counts, 0, 1) != 0) __builtin_amdgcn_s_sleep(1);
  __threadfence();
  scratch[0] += in[blockIdx.x];
  __threadfence();
  atomicExch(counts, 0);
}
/// A ring of two: the reader says when a place may be used again.
__global__ void ring(const float* in, float* out, float* scratch, int* counts) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  for (int n = 0; n < 8; n++) {
    float* const place = scratch + n % 2;
    if (blockIdx.x == 0) {
      while (load_flag(counts + 1) < n - 1) __builtin_amdgcn_s_sleep(1);
      __threadfence();
      *place = in[n];
      __threadfence();
      store_flag(counts, n + 1);
    } else {
      while (load_flag(counts) < n + 1) __builtin_amdgcn_s_sleep(1);
      __threadfence();
      out[n] = *place;
      __threadfence();
      store_flag(counts + 1, n + 1);
    }
  }
}

int main(int argc, char** argv) {
  using Kernel = void (*)(const float*, float*, float*, int*);
  const std::pair<const char*, Kernel> kernels[] = {
      {"handover", handover}, {"neighbour", neighbour},   {"bins", bins},
      {"overlap", overlap},   {"last_one", last_one},     {"no_acquire", no_acquire},
      {"chain", chain},       {"halves", halves},         {"list", list},
      {"in_place", in_place}, {"same_value", same_value}, {"lock", lock},
      {"ring", ring}};
  constexpr int n = items * groups;
  float* const in = device_array<float>(items);
  float* const out = device_array<float>(n);
  float* const scratch = device_array<float>(n);
  int* const counts = device_array<int>(64);
  float host[items];
  for (int i = 0; i < items; i++) host[i] = static_cast<float>(i % 50);
  MUST(hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice));
  MUST(hipMemset(scratch, 0, n * sizeof *scratch));
  MUST(hipMemset(counts, 0, 64 * sizeof *counts));
  for (const auto& [name, kernel] : kernels)
    if (argc > 1 && !std::strcmp(argv[1], name))
      kernel<<<groups, items>>>(in, out, scratch, counts);
  MUST(hipDeviceSynchronize());
}
