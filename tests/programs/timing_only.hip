// Kernels whose work depends on what the host wrote, and on what other kernels compute.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void fill(int* counts, int n) {
  counts[threadIdx.x] = n;
}
__global__ void repeat(const int* counts, float* y) {
  for (int i = 0; i < *counts; ++i) y[blockIdx.x * blockDim.x + threadIdx.x] *= 1.5f;
}
__global__ void scale(const int* counts, float* y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] *= float(*counts);
}
__global__ void gather(const int* counts, float* y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = y[counts[threadIdx.x]];
}

template <class Launch>
void time_of(const char* name, Launch launch) {
  hipEvent_t begin, end;
  (void)hipEventCreate(&begin);
  (void)hipEventCreate(&end);
  (void)hipEventRecord(begin);
  launch();
  (void)hipEventRecord(end);
  (void)hipEventSynchronize(end);
  float ms = 0;
  (void)hipEventElapsedTime(&ms, begin, end);
  std::printf("%s %.6g\n", name, double(ms));
}

int main() {
  constexpr int groups = 4096, block = 256;
  float* y = nullptr;
  int* counts = nullptr;
  (void)hipMalloc(&y, sizeof(float) * groups * block);
  (void)hipMalloc(&counts, sizeof(int) * block);
  const auto repeats = [&] { repeat<<<groups, block>>>(counts, y); };
  for (const int count : {200, 400, 400, 200}) {
    (void)hipMemcpy(counts, &count, sizeof count, hipMemcpyHostToDevice);
    time_of("repeat", repeats);
  }
  time_of("gather", [&] { gather<<<groups, block>>>(counts, y); });
  time_of("scale", [&] { scale<<<groups, block>>>(counts, y); });
  std::puts("-");  // from here on the GPU's own results matter
  fill<<<1, block>>>(counts, 300);
  time_of("repeat", repeats);
  gather<<<groups, block>>>(counts, y);
  float first = 0;
  (void)hipMemcpy(&first, y, sizeof first, hipMemcpyDeviceToHost);
}
