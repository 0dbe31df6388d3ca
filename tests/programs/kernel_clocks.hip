// Kernels that read clocks, and print microseconds.
#include <hip/hip_runtime.h>

#include <cstdio>

#include "check.h"

__global__ void fill(float* to, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    to[i] = 1;
}
__global__ void now(long long* to) {
  *to = wall_clock64();
}
/// Until so many ticks of the clock have gone by; the cycles meanwhile.
__global__ void wait(long long ticks, long long* cycles) {
  const long long begin = wall_clock64(), first = clock64();
  while (wall_clock64() - begin < ticks) {
  }
  *cycles = clock64() - first;
}

int main() {
  constexpr int count = 1 << 20, ticks_a_us = 100;
  float* data;
  long long* clocks;
  MUST(hipMalloc(&data, count * sizeof *data));
  MUST(hipHostMalloc(&clocks, 4 * sizeof *clocks));
  hipEvent_t begin, end;
  MUST(hipEventCreate(&begin));
  MUST(hipEventCreate(&end));
  const auto elapsed = [&] {
    float milliseconds = 0;
    MUST(hipEventSynchronize(end));
    MUST(hipEventElapsedTime(&milliseconds, begin, end));
    return 1000 * milliseconds;
  };

  now<<<1, 1>>>(clocks);
  MUST(hipEventRecord(begin));
  for (int i = 0; i < 50; i++) fill<<<256, 256>>>(data, count);
  MUST(hipEventRecord(end));
  now<<<1, 1>>>(clocks + 1);
  MUST(hipDeviceSynchronize());
  std::printf("fills %.3f\n", elapsed());
  std::printf("between %.3f\n", double(clocks[1] - clocks[0]) / ticks_a_us);

  MUST(hipEventRecord(begin));
  wait<<<1, 64>>>(500 * ticks_a_us, clocks + 2);
  MUST(hipEventRecord(end));
  std::printf("waits %.3f\n", elapsed());
  hipDeviceProp_t properties;
  MUST(hipGetDeviceProperties(&properties, 0));
  std::printf("cycles %.3f\n", clocks[2] / (properties.clockRate / 1000.0));
}
