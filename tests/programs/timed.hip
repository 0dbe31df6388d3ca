// Times itself by HIP's events, as benchmarks do, and prints microseconds.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

#include "check.h"

__global__ void fill(float* to, int count, float value) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    to[i] = value;
}

constexpr int count = 1 << 20;

template <class Work>
void timed(const char* name, hipStream_t stream, Work work, double parts = 1) {
  hipEvent_t begin, end;
  MUST(hipEventCreate(&begin));
  MUST(hipEventCreate(&end));
  MUST(hipEventRecord(begin, stream));
  work();
  MUST(hipEventRecord(end, stream));
  MUST(hipEventSynchronize(end));
  float milliseconds = 0;
  MUST(hipEventElapsedTime(&milliseconds, begin, end));
  std::printf("%s %.3f\n", name, 1000 * milliseconds / parts);
}

int main() {
  float *a, *b;
  MUST(hipMalloc(&a, count * sizeof *a));
  MUST(hipMalloc(&b, count * sizeof *b));
  std::vector<float> host(count);
  hipStream_t one, two;
  MUST(hipStreamCreate(&one));
  MUST(hipStreamCreate(&two));
  const auto run = [&](float* to, hipStream_t stream) {
    fill<<<256, 256, 0, stream>>>(to, count, 1);
  };
  timed("kernel", one, [&] { run(a, one); });
  timed("again", one, [&] { run(b, one); });
  timed(
      "each", one,
      [&] {
        for (int i = 0; i < 100; i++) run(a, one);
      },
      100);
  timed("after", one, [&] {
    // The second stream's kernel comes after the first one's, and this stream waits for it.
    run(a, one);
    hipEvent_t there, back;
    MUST(hipEventCreate(&there));
    MUST(hipEventCreate(&back));
    MUST(hipEventRecord(there, one));
    MUST(hipStreamWaitEvent(two, there, 0));
    run(b, two);
    MUST(hipEventRecord(back, two));
    MUST(hipStreamWaitEvent(one, back, 0));
  });
  timed("copy", one, [&] {
    MUST(hipMemcpyAsync(host.data(), a, count * sizeof *a, hipMemcpyDeviceToHost, one));
  });
  // How often it has to ask is no matter of the host's.
  int asked = 0;
  run(a, one);
  while (hipStreamQuery(one) == hipErrorNotReady) asked++;
  std::printf("asked %d\n", asked);
}
