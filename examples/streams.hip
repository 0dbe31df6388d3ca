// Work in two streams: blocks of an array are copied to the GPU, changed, and copied back, each
// block in the stream whose turn it is; then one stream sums what both have made, behind an event.
//   streams [N]
#include "common.h"

constexpr int kStreams = 2;
constexpr int kBlocks = 8;
constexpr int kThreads = 256;

__global__ void square(int n, unsigned* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= x[i];
}

__global__ void add_up(int n, const unsigned* x, unsigned long long* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, static_cast<unsigned long long>(x[i]));
}

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 100'003);
  unsigned *host, *device;  // pinned: copies to and from other memory would not be asynchronous
  unsigned long long* sum;
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&host), n * sizeof *host, 0));
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&sum), sizeof *sum, 0));
  HIP_CHECK(hipMalloc(reinterpret_cast<void**>(&device), n * sizeof *device));
  for (int i = 0; i < n; i++) host[i] = i % 50'000;
  *sum = 0;

  hipStream_t streams[kStreams];
  hipEvent_t start[kStreams], stop[kStreams];
  for (int s = 0; s < kStreams; s++) {
    HIP_CHECK(hipStreamCreateWithFlags(&streams[s], hipStreamNonBlocking));
    HIP_CHECK(hipEventCreate(&start[s]));
    HIP_CHECK(hipEventCreate(&stop[s]));
    HIP_CHECK(hipEventRecord(start[s], streams[s]));
  }
  const int size = ceil_div(n, kBlocks);
  for (int block = 0; block < kBlocks; block++) {
    const int first = block * size, count = std::min(size, n - first);
    if (count <= 0) break;
    const hipStream_t stream = streams[block % kStreams];
    const size_t bytes = count * sizeof *host;
    HIP_CHECK(hipMemcpyAsync(device + first, host + first, bytes, hipMemcpyHostToDevice, stream));
    square<<<ceil_div(count, kThreads), kThreads, 0, stream>>>(count, device + first);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpyAsync(host + first, device + first, bytes, hipMemcpyDeviceToHost, stream));
  }
  for (int s = 0; s < kStreams; s++) HIP_CHECK(hipEventRecord(stop[s], streams[s]));
  for (int s = 1; s < kStreams; s++) HIP_CHECK(hipStreamWaitEvent(streams[0], stop[s], 0));
  add_up<<<ceil_div(n, kThreads), kThreads, 0, streams[0]>>>(n, device, sum);
  HIP_CHECK(hipGetLastError());
  for (const hipStream_t stream : streams) HIP_CHECK(hipStreamSynchronize(stream));

  Comparison comparison;
  unsigned long long want = 0;
  for (int i = 0; i < n; i++) {
    const unsigned value = i % 50'000;
    want += value * value;
    comparison.add(host[i], value * value, 0);
  }
  comparison.add(static_cast<double>(*sum), static_cast<double>(want), 0);
  for (int s = 0; s < kStreams; s++) {
    float milliseconds = -1;
    HIP_CHECK(hipEventElapsedTime(&milliseconds, start[s], stop[s]));
    comparison.add(milliseconds < 0, 0, 0);
    HIP_CHECK(hipEventDestroy(start[s]));
    HIP_CHECK(hipEventDestroy(stop[s]));
    HIP_CHECK(hipStreamDestroy(streams[s]));
  }
  HIP_CHECK(hipFree(device));
  HIP_CHECK(hipHostFree(sum));
  HIP_CHECK(hipHostFree(host));
  return comparison.report("streams " + std::to_string(n), "exact");
}
