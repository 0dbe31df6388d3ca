// B = A^T for matrices of any shape, by tiles in LDS: rows are read and written side by side, and
// the column of padding gives the tile's columns different LDS banks.
//   transpose [ROWS [COLUMNS]]
#include "common.h"

constexpr int kTile = 32;
constexpr int kRows = 8;  // of the tile that a workgroup moves at once

__global__ __launch_bounds__(kTile* kRows) void transpose(int rows, int columns,
                                                          const float* __restrict__ a,
                                                          float* __restrict__ b) {
  __shared__ float tile[kTile][kTile + 1];
  const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  for (int i = threadIdx.y; i < kTile; i += kRows) {
    const int row = row0 + i, column = column0 + threadIdx.x;
    if (row < rows && column < columns) tile[i][threadIdx.x] = a[size_t(row) * columns + column];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < kTile; i += kRows) {
    const int row = row0 + threadIdx.x, column = column0 + i;
    if (row < rows && column < columns) b[size_t(column) * rows + row] = tile[threadIdx.x][i];
  }
}

int main(int argc, char** argv) {
  const int rows = size_argument(argc, argv, 1, 1001);
  const int columns = size_argument(argc, argv, 2, rows);
  const size_t size = size_t(rows) * columns;
  const auto a = random_values<float>(size, 1);

  DeviceArray<float> device_a(a), device_b(size);
  transpose<<<dim3(ceil_div(columns, kTile), ceil_div(rows, kTile)), dim3(kTile, kRows)>>>(
      rows, columns, device_a.data(), device_b.data());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  const auto b = device_b.to_host();
  Comparison comparison;
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++)
      comparison.add(b[size_t(column) * rows + row], a[size_t(row) * columns + column], 0);
  return comparison.report("transpose " + std::to_string(rows) + "x" + std::to_string(columns),
                           "exact");
}
