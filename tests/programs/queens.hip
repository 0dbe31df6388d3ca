// Counts the ways to place queens, with each work-item's board in an array of bytes that it
// indexes: clang 22.1.8 crashes on it for gfx1100, unless told to leave the array in memory.
#include "check.h"

__host__ __device__ bool is_safe(const char* column, int row) {
  bool safe = true;
  for (int i = 0; i < row; ++i)
    if (column[i] == column[row]) safe = false;
  int left = column[row], right = column[row];
  for (int i = row - 1; i >= 0; --i)
    if (column[i] == --left || column[i] == ++right) safe = false;
  return safe;
}

/// The ways to go on from a queen in this column of the first row.
__host__ __device__ int ways(int n, int start, const signed char* first) {
  char column[20];
  int row = start, found = 0;
#pragma unroll 2
  for (int i = 0; i < n; ++i) column[i] = -1;
#pragma unroll 2
  for (int i = 0; i < start; ++i) column[i] = first[i];
  do {
    if (++column[row] == n)
      column[row] = -1;
    else if (is_safe(column, row)) {
      if (++row == n)
        ++found;
      else
        continue;
    } else
      continue;
    --row;
  } while (row >= start);
  return found;
}

__global__ void count(int n, int start, const signed char* first, int* out) {
  out[threadIdx.x] = ways(n, start, first + threadIdx.x);
}

int main() {
  constexpr int n = 6;
  signed char columns[n];
  for (int i = 0; i < n; ++i) columns[i] = static_cast<signed char>(i);
  signed char* const first = device_array<signed char>(n);
  int* const out = device_array<int>(n);
  MUST(hipMemcpy(first, columns, sizeof columns, hipMemcpyHostToDevice));
  count<<<1, n>>>(n, 1, first, out);
  int found[n];
  MUST(hipMemcpy(found, out, sizeof found, hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    if (found[i] != ways(n, 1, columns + i)) {
      std::printf("%d: %d, not %d\n", i, found[i], ways(n, 1, columns + i));
      return 1;
    }
}
