// C = A * B in single precision, row-major: each workgroup of 256 threads computes a 64x64 tile
// of C from tiles of A and B in LDS, each thread a 4x4 part of it in registers.
//   sgemm [M [N [K]]]
#include "common.h"

constexpr int kTile = 64;   // rows and columns of C per workgroup
constexpr int kDepth = 16;  // columns of A and rows of B per step
constexpr int kPart = 4;    // rows and columns of C per thread
constexpr int kThreads = (kTile / kPart) * (kTile / kPart);

__global__ __launch_bounds__(kThreads) void sgemm(int m, int n, int k, const float* __restrict__ a,
                                                  const float* __restrict__ b,
                                                  float* __restrict__ c) {
  // A is kept transposed, so that a thread's four rows are one 16-byte read; the four floats of
  // padding keep those reads aligned and spread the writes over the banks.
  __shared__ __align__(16) float tile_a[kDepth][kTile + 4];
  __shared__ __align__(16) float tile_b[kDepth][kTile + 4];

  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  const int part_row = thread / (kTile / kPart) * kPart;
  const int part_column = thread % (kTile / kPart) * kPart;

  // What each thread loads of every tile. Rows and columns beyond the matrix repeat its last one:
  // what comes of them is not stored.
  constexpr int kLoads = kTile * kDepth / kThreads;
  const int a_depth = thread % kDepth, a_row = thread / kDepth;
  const int b_depth = thread / kTile, b_column = thread % kTile;
  const float* a_from[kLoads];
  const float* b_from = b + size_t(b_depth) * n + min(column0 + b_column, n - 1);
  for (int i = 0; i < kLoads; i++)
    a_from[i] = a + size_t(min(row0 + i * (kThreads / kDepth) + a_row, m - 1)) * k + a_depth;

  float sum[kPart][kPart] = {};
  const auto multiply_tile = [&](int depths) {  // of which there are kDepth but for the last tile
    for (int i = 0; i < kLoads; i++) {
      const int i_depth = i * (kThreads / kTile) + b_depth;
      tile_a[a_depth][i * (kThreads / kDepth) + a_row] = a_depth < depths ? *a_from[i] : 0.0f;
      tile_b[i_depth][b_column] =
          i_depth < depths ? b_from[size_t(i * (kThreads / kTile)) * n] : 0.0f;
      a_from[i] += kDepth;
    }
    b_from += size_t(kDepth) * n;
    __syncthreads();
#pragma unroll 4
    for (int depth = 0; depth < kDepth; depth++) {
      float part_a[kPart], part_b[kPart];
      for (int i = 0; i < kPart; i++) part_a[i] = tile_a[depth][part_row + i];
      for (int j = 0; j < kPart; j++) part_b[j] = tile_b[depth][part_column + j];
      for (int i = 0; i < kPart; i++)
        for (int j = 0; j < kPart; j++) sum[i][j] += part_a[i] * part_b[j];
    }
    __syncthreads();
  };
  int k0 = 0;
  for (; k0 + kDepth <= k; k0 += kDepth) multiply_tile(kDepth);
  if (k0 < k) multiply_tile(k - k0);

  for (int i = 0; i < kPart; i++)
    for (int j = 0; j < kPart; j++) {
      const int row = row0 + part_row + i, column = column0 + part_column + j;
      if (row < m && column < n) c[size_t(row) * n + column] = sum[i][j];
    }
}

int main(int argc, char** argv) {
  const int m = size_argument(argc, argv, 1, 256);
  const int n = size_argument(argc, argv, 2, m);
  const int k = size_argument(argc, argv, 3, m);
  const auto a = random_values<float>(size_t(m) * k, 1), b = random_values<float>(size_t(k) * n, 2);

  DeviceArray<float> device_a(a), device_b(b), device_c(size_t(m) * n);
  hipEvent_t start, stop;
  HIP_CHECK(hipEventCreate(&start));
  HIP_CHECK(hipEventCreate(&stop));
  HIP_CHECK(hipEventRecord(start));
  sgemm<<<dim3(ceil_div(n, kTile), ceil_div(m, kTile)), kThreads>>>(
      m, n, k, device_a.data(), device_b.data(), device_c.data());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipEventRecord(stop));
  HIP_CHECK(hipEventSynchronize(stop));
  float milliseconds = 0;
  HIP_CHECK(hipEventElapsedTime(&milliseconds, start, stop));
  HIP_CHECK(hipEventDestroy(start));
  HIP_CHECK(hipEventDestroy(stop));
  const auto c = device_c.to_host();
  std::printf("sgemm took %.3f ms by hipEvent\n", milliseconds);

  // A sum of k products is off by at most k roundings of the sum of their magnitudes.
  Comparison comparison;
  std::vector<double> sum(n), magnitude(n);
  for (int row = 0; row < m; row++) {
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(magnitude.begin(), magnitude.end(), 0.0);
    for (int depth = 0; depth < k; depth++)
      for (int column = 0; column < n; column++) {
        const double product = double(a[size_t(row) * k + depth]) * b[size_t(depth) * n + column];
        sum[column] += product;
        magnitude[column] += std::fabs(product);
      }
    for (int column = 0; column < n; column++)
      comparison.add(c[size_t(row) * n + column], sum[column],
                     std::ldexp(k * magnitude[column], -24));
  }
  return comparison.report(
      "sgemm " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k),
      "K 2^-24 sum |a b|");
}
