// C = A * B^T with f16 inputs and f32 results, on matrix instructions. A is M x K and B is N x K,
// as the inputs and the weights of a linear layer lie. A workgroup of four waves computes a 64x64
// tile of C, each wave a 32x32 quarter of it.
//   gemm [M [N [K]]]
#include "common.h"
#include "matrix.h"

constexpr int kTile = 64;   // rows and columns of C per workgroup
constexpr int kPart = 32;   // rows and columns of C per wave
constexpr int kDepth = 32;  // columns of A and B per step
constexpr int kWaves = 4;
constexpr int kPad = 8;  // spreads the rows of a tile over the LDS banks, keeps 16-byte alignment

// Eight values of a row, from `column` on; zeros outside the matrix.
__device__ f16x8 load_eight(const f16* matrix, int rows, int columns, int row, int column) {
  f16x8 values = {};
  if (row >= rows) return values;
  const f16* source = matrix + size_t(row) * columns + column;
  if (columns % 8 == 0 && column < columns) return *reinterpret_cast<const f16x8*>(source);
  for (int i = 0; i < 8; i++)
    if (column + i < columns) values[i] = source[i];
  return values;
}

__global__ __launch_bounds__(256) void gemm(int m, int n, int k, const f16* __restrict__ a,
                                            const f16* __restrict__ b, float* __restrict__ c) {
  using Matrix = LargeMatrix;
  constexpr int kParts = kPart / Matrix::kSize;
  constexpr int kThreads = kWaves * Matrix::kWave;
  __shared__ __align__(16) f16 tile_a[kTile][kDepth + kPad];
  __shared__ __align__(16) f16 tile_b[kTile][kDepth + kPad];

  const int thread = threadIdx.x;
  const int lane = thread % Matrix::kWave, wave = thread / Matrix::kWave;
  const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  const int part_row = wave / 2 * kPart, part_column = wave % 2 * kPart;

  typename Matrix::Result sum[kParts][kParts] = {};
  for (int k0 = 0; k0 < k; k0 += kDepth) {
#pragma unroll
    for (int step = 0; step < kTile * kDepth / 8 / kThreads; step++) {
      const int i = step * kThreads + thread;
      const int line = i / (kDepth / 8), depth = i % (kDepth / 8) * 8;
      *reinterpret_cast<f16x8*>(&tile_a[line][depth]) =
          load_eight(a, m, k, row0 + line, k0 + depth);
      *reinterpret_cast<f16x8*>(&tile_b[line][depth]) =
          load_eight(b, n, k, column0 + line, k0 + depth);
    }
    __syncthreads();

#pragma unroll
    for (int depth = 0; depth < kDepth; depth += Matrix::kDepth) {
      typename Matrix::Operand part_a[kParts], part_b[kParts];
      for (int i = 0; i < kParts; i++) {
        const int line = i * Matrix::kSize + lane % Matrix::kSize;
        part_a[i] = load_operand<Matrix>(&tile_a[part_row + line][depth], lane);
        part_b[i] = load_operand<Matrix>(&tile_b[part_column + line][depth], lane);
      }
      for (int i = 0; i < kParts; i++)
        for (int j = 0; j < kParts; j++)
          sum[i][j] = Matrix::multiply_add(part_a[i], part_b[j], sum[i][j]);
    }
    __syncthreads();
  }

#pragma unroll
  for (int i = 0; i < kParts; i++)
    for (int j = 0; j < kParts; j++)
      for (int r = 0; r < Matrix::kResults; r++) {
        const int row = row0 + part_row + i * Matrix::kSize + Matrix::row(lane, r);
        const int column = column0 + part_column + j * Matrix::kSize + lane % Matrix::kSize;
        if (row < m && column < n) c[size_t(row) * n + column] = sum[i][j][r];
      }
}

int main(int argc, char** argv) {
  const int m = size_argument(argc, argv, 1, 512);
  const int n = size_argument(argc, argv, 2, m);
  const int k = size_argument(argc, argv, 3, m);
  const auto a = random_values<f16>(size_t(m) * k, 1), b = random_values<f16>(size_t(n) * k, 2);

  hipDeviceProp_t device;
  HIP_CHECK(hipGetDeviceProperties(&device, 0));
  DeviceArray<f16> device_a(a), device_b(b);
  DeviceArray<float> device_c(size_t(m) * n);
  gemm<<<dim3(ceil_div(n, kTile), ceil_div(m, kTile)), kWaves * device.warpSize>>>(
      m, n, k, device_a.data(), device_b.data(), device_c.data());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  const auto c = device_c.to_host();

  // Products of f16 are exact in f32; matrix instructions may truncate instead of rounding, so each
  // of the k additions is off by at most 2^-23 of the sum of magnitudes.
  const std::vector<float> float_a(a.begin(), a.end()), float_b(b.begin(), b.end());
  Comparison comparison;
  for (int row = 0; row < m; row++)
    for (int column = 0; column < n; column++) {
      const float* line_a = &float_a[size_t(row) * k];
      const float* line_b = &float_b[size_t(column) * k];
      double sum = 0, magnitude = 0;
      for (int depth = 0; depth < k; depth++) {
        const double product = double(line_a[depth]) * line_b[depth];
        sum += product;
        magnitude += std::fabs(product);
      }
      comparison.add(c[size_t(row) * n + column], sum, std::ldexp(k * magnitude, -23));
    }
  return comparison.report(
      "gemm " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k),
      "K 2^-23 sum |a b|");
}
