// The sum over all GPUs of an array that each has its own of, on every GPU: an all-reduce in one
// kernel per GPU, which reads its peers' memory directly. The kernels run at the same time and wait
// for each other by flags in each other's memory.
//   multi_gpu [N]
#include "common.h"

constexpr int kMaxGpus = 8;
constexpr int kBlocks = 4;  // few enough that all of them run at once
constexpr int kThreads = 256;

// What each GPU lets the others reach.
struct Shared {
  float* values[kMaxGpus];
  unsigned* ready[kMaxGpus];  // [block][GPU]: that GPU's values are there
};

__global__ __launch_bounds__(kThreads) void all_reduce(int n, int gpus, int me, Shared shared,
                                                       float* sum) {
  if (const int peer = threadIdx.x; peer < gpus) {
    __hip_atomic_store(&shared.ready[peer][blockIdx.x * gpus + me], 1u, __ATOMIC_RELEASE,
                       __HIP_MEMORY_SCOPE_SYSTEM);
    while (!__hip_atomic_load(&shared.ready[me][blockIdx.x * gpus + peer], __ATOMIC_ACQUIRE,
                              __HIP_MEMORY_SCOPE_SYSTEM))
      __builtin_amdgcn_s_sleep(1);
  }
  __syncthreads();
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += kBlocks * kThreads) {
    float total = 0;
    for (int gpu = 0; gpu < gpus; gpu++) total += shared.values[gpu][i];
    sum[i] = total;
  }
}

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 50'003);
  const size_t bytes = n * sizeof(float);
  int gpus = 0;
  HIP_CHECK(hipGetDeviceCount(&gpus));
  gpus = std::min(gpus, kMaxGpus);

  // All values start on the first GPU; each of the others gets its part by a peer copy.
  const auto values = random_values<float>(size_t(gpus) * n, 1);
  HIP_CHECK(hipSetDevice(0));
  DeviceArray<float> all_values(values);

  Shared shared = {};
  float* sum[kMaxGpus];
  hipStream_t stream[kMaxGpus];
  for (int gpu = 0; gpu < gpus; gpu++) {
    HIP_CHECK(hipSetDevice(gpu));
    for (int peer = 0; peer < gpus; peer++) {
      int can = 0;
      if (peer == gpu) continue;
      HIP_CHECK(hipDeviceCanAccessPeer(&can, gpu, peer));
      if (!can) {
        std::printf("FAIL GPU %d cannot access GPU %d\n", gpu, peer);
        return 1;
      }
      HIP_CHECK(hipDeviceEnablePeerAccess(peer, 0));
    }
    const size_t flags = kBlocks * gpus * sizeof(unsigned);
    HIP_CHECK(hipStreamCreateWithFlags(&stream[gpu], hipStreamNonBlocking));
    HIP_CHECK(hipMalloc(reinterpret_cast<void**>(&shared.values[gpu]), bytes));
    HIP_CHECK(hipMalloc(reinterpret_cast<void**>(&sum[gpu]), bytes));
    HIP_CHECK(hipMalloc(reinterpret_cast<void**>(&shared.ready[gpu]), flags));
    HIP_CHECK(hipMemset(shared.ready[gpu], 0, flags));
    HIP_CHECK(hipDeviceSynchronize());
  }
  for (int gpu = 0; gpu < gpus; gpu++) {
    HIP_CHECK(hipSetDevice(gpu));
    HIP_CHECK(hipMemcpyPeerAsync(shared.values[gpu], gpu, all_values.data() + size_t(gpu) * n, 0,
                                 bytes, stream[gpu]));
    all_reduce<<<kBlocks, kThreads, 0, stream[gpu]>>>(n, gpus, gpu, shared, sum[gpu]);
    HIP_CHECK(hipGetLastError());
  }

  // Every GPU adds in the same order, with one rounding per addition.
  Comparison comparison;
  for (int gpu = 0; gpu < gpus; gpu++) {
    HIP_CHECK(hipSetDevice(gpu));
    HIP_CHECK(hipStreamSynchronize(stream[gpu]));
    std::vector<float> got(n);
    HIP_CHECK(hipMemcpy(got.data(), sum[gpu], bytes, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
      double want = 0, magnitude = 0;
      for (int other = 0; other < gpus; other++) {
        const double value = values[size_t(other) * n + i];
        want += value;
        magnitude += std::fabs(value);
      }
      comparison.add(got[i], want, std::ldexp((gpus - 1) * magnitude, -24));
    }
  }
  for (int gpu = 0; gpu < gpus; gpu++) {
    HIP_CHECK(hipSetDevice(gpu));
    HIP_CHECK(hipFree(shared.values[gpu]));
    HIP_CHECK(hipFree(shared.ready[gpu]));
    HIP_CHECK(hipFree(sum[gpu]));
    HIP_CHECK(hipStreamDestroy(stream[gpu]));
  }
  HIP_CHECK(hipSetDevice(0));
  return comparison.report(
      "multi_gpu " + std::to_string(n) + " on " + std::to_string(gpus) + " GPUs",
      "(GPUs - 1) 2^-24 sum |x|");
}
