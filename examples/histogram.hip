// How often each byte value occurs: every workgroup counts in LDS, then adds its counts to the
// common ones; both by atomics.
//   histogram [N]
#include "common.h"

constexpr int kBins = 256;
constexpr int kThreads = 256;
constexpr int kMaxBlocks = 256;

__global__ __launch_bounds__(kThreads) void histogram(size_t n, const unsigned char* bytes,
                                                      unsigned* counts) {
  __shared__ unsigned mine[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += kThreads) mine[bin] = 0;
  __syncthreads();

  const size_t first = blockIdx.x * kThreads + threadIdx.x, stride = gridDim.x * kThreads;
  const uint4* vectors = reinterpret_cast<const uint4*>(bytes);  // hipMalloc aligns
  for (size_t i = first; i < n / 16; i += stride) {
    const uint4 vector = vectors[i];
    for (const unsigned word : {vector.x, vector.y, vector.z, vector.w})
      for (int shift = 0; shift < 32; shift += 8) atomicAdd(&mine[word >> shift & 255], 1u);
  }
  for (size_t i = n / 16 * 16 + first; i < n; i += stride) atomicAdd(&mine[bytes[i]], 1u);
  __syncthreads();

  for (int bin = threadIdx.x; bin < kBins; bin += kThreads)
    if (mine[bin]) atomicAdd(&counts[bin], mine[bin]);
}

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 1'000'003);
  std::vector<unsigned char> bytes(n);  // some values are much more frequent than others
  std::mt19937 generator(1);
  std::binomial_distribution<int> value(255, 0.3);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(value(generator));

  DeviceArray<unsigned char> device_bytes(bytes);
  DeviceArray<unsigned> counts(std::vector<unsigned>(kBins, 0));
  const int blocks = std::min(ceil_div(n, 16 * kThreads), kMaxBlocks);
  histogram<<<blocks, kThreads>>>(n, device_bytes.data(), counts.data());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  std::vector<unsigned> want(kBins, 0);
  for (const auto byte : bytes) want[byte]++;
  const auto got = counts.to_host();
  Comparison comparison;
  for (int bin = 0; bin < kBins; bin++) comparison.add(got[bin], want[bin], 0);
  return comparison.report("histogram " + std::to_string(n), "exact");
}
