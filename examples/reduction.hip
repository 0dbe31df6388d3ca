// The sum and the largest of N floats in one pass: each thread takes a part of them, a workgroup
// combines its threads by shuffles and LDS, and workgroups combine by atomics.
//   reduction [N]
#include "common.h"
#include "reduce.h"

constexpr int kThreads = 256;
constexpr int kMaxBlocks = 512;

__global__ __launch_bounds__(kThreads) void reduce(size_t n, const float* __restrict__ x,
                                                   float* sum, float* largest) {
  float my_sum = 0, my_largest = -INFINITY;
  const size_t stride = gridDim.x * kThreads;
  for (size_t i = blockIdx.x * kThreads + threadIdx.x; i < n; i += stride) {
    my_sum += x[i];
    my_largest = fmaxf(my_largest, x[i]);
  }
  my_sum = reduce_workgroup<kThreads>(my_sum, Add());
  my_largest = reduce_workgroup<kThreads>(my_largest, Max());
  if (threadIdx.x == 0) {
    atomicAdd(sum, my_sum);
    atomicMax(largest, my_largest);
  }
}

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 2'000'003);
  const auto x = random_values<float>(n, 1);
  const int blocks = std::min(ceil_div(n, kThreads), kMaxBlocks);

  DeviceArray<float> device_x(x), sum(std::vector<float>{0}), largest(std::vector{-INFINITY});
  reduce<<<blocks, kThreads>>>(n, device_x.data(), sum.data(), largest.data());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  // A term of the sum goes through at most this many additions, each of which rounds a part of the
  // sum; the largest is one of the inputs.
  const int additions = ceil_div(n, blocks * kThreads) + 6 + kThreads / 32 + blocks;
  double want = 0, magnitude = 0, want_largest = -INFINITY;
  for (const float value : x) {
    want += value;
    magnitude += std::fabs(value);
    want_largest = std::max<double>(want_largest, value);
  }
  Comparison comparison;
  comparison.add(sum.to_host()[0], want, std::ldexp(additions * magnitude, -24));
  comparison.add(largest.to_host()[0], want_largest, 0);
  return comparison.report("reduction " + std::to_string(n), "additions 2^-24 sum |x|, max: 0");
}
