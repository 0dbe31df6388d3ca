// A kernel that needs more registers than its workgroups leave it; registers_test.cpp.
#include <hip/hip_runtime.h>

constexpr int values = 230, lanes = 1024;

__global__ __launch_bounds__(lanes) void spilling(float* data, int rounds) {
  float a[values];
  for (int i = 0; i < values; ++i) a[i] = data[threadIdx.x + i * lanes];
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < values; ++i)
      a[i] = a[i] * a[(i + 37) % values] + a[(i * 7 + 1) % values];  // all of them at once
  for (int i = 0; i < values; ++i) data[threadIdx.x + i * lanes] = a[i];
}

int main() {
  float* data = nullptr;
  if (hipMalloc(&data, sizeof(float) * values * lanes) != hipSuccess) return 1;
  if (hipMemset(data, 0, sizeof(float) * values * lanes) != hipSuccess) return 1;
  spilling<<<1, lanes>>>(data, 2);
  return hipDeviceSynchronize() != hipSuccess;
}
