// Kernels that never end.
//   endless CASE
#include "check.h"

__global__ void loop(int* out) {
  volatile int* const turns = out + threadIdx.x;
  for (;;) *turns = *turns + 1;  // endless loop
}

// The first wave waits for the others, which never come.
__global__ void barrier(int* out) {
  if (threadIdx.x >= 64)
    while (__hip_atomic_load(out, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) {  // no barrier
    }
  __syncthreads();
  out[threadIdx.x] = 1;
}

// Nobody sets the flag.
__global__ void flag(int* out) {
  while (__hip_atomic_load(out, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) == 0)  // no flag
    __builtin_amdgcn_s_sleep(1);
  out[threadIdx.x] = 1;
}

// It ends, but there are too many.
__global__ void tiny(int* out) {
  if (blockIdx.x == 0) out[threadIdx.x] = 1;
}

// Each trip is long, so that a wave takes long for its turn.
__global__ void trips(int* out) {
  double a = threadIdx.x, b = 1.0;
#pragma unroll 1
  for (int i = 0; i < 1 << 30; ++i) {
#pragma unroll
    for (int k = 0; k < 400; ++k) {
      a = 1.0 / (a + b);
      b = b * 1.0001 + a;
    }
  }
  out[threadIdx.x] = static_cast<int>(a + b);
}

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const int groups = argc > 2 ? std::atoi(argv[2]) : 1;
  int* const out = device_array<int>(1024);
  MUST(hipMemset(out, 0, 256 * sizeof(int)));
  std::printf("before\n");
  std::fflush(stdout);
  if (name == "loop") loop<<<groups, 256>>>(out);
  if (name == "barrier") barrier<<<groups, 256>>>(out);
  if (name == "flag") flag<<<groups, 256>>>(out);
  if (name == "trips") trips<<<groups, 1024>>>(out);
  if (name == "tiny") tiny<<<dim3(1000000, 1000, 1000), 64>>>(out);
  tell_failure();
  std::printf("after\n");
}
