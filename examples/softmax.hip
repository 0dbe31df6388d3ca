// Softmax of each row: y = exp(x - max) / sum of exp(x - max). A workgroup takes a row, of any
// length, and reads it twice: each thread keeps its largest value and, relative to that, its sum.
//   softmax [ROWS [COLUMNS]]
#include "common.h"
#include "reduce.h"

constexpr int kThreads = 256;

// Calls visit(column, values) for this thread's part of a row. Rows whose length is a multiple of
// four begin on 16 bytes and are read so.
template <class Visit>
__device__ void for_each_value(const float* row, int columns, Visit visit) {
  if (columns % 4 == 0) {
    for (int i = threadIdx.x * 4; i < columns; i += kThreads * 4) {
      const float4 values = *reinterpret_cast<const float4*>(row + i);
      visit(i, values.x), visit(i + 1, values.y), visit(i + 2, values.z), visit(i + 3, values.w);
    }
  } else {
    for (int i = threadIdx.x; i < columns; i += kThreads) visit(i, row[i]);
  }
}

__global__ __launch_bounds__(kThreads) void softmax(int columns, const float* __restrict__ x,
                                                    float* __restrict__ y) {
  x += size_t(blockIdx.x) * columns;
  y += size_t(blockIdx.x) * columns;

  float largest = -INFINITY, sum = 0;
  for_each_value(x, columns, [&](int, float value) {
    const float next = fmaxf(largest, value);
    sum = sum * __expf(largest - next) + __expf(value - next);
    largest = next;
  });
  const float row_largest = reduce_workgroup<kThreads>(largest, Max());
  sum *= __expf(largest - row_largest);
  const float scale = 1 / reduce_workgroup<kThreads>(sum, Add());
  for_each_value(x, columns,
                 [&](int i, float value) { y[i] = __expf(value - row_largest) * scale; });
}

int main(int argc, char** argv) {
  const int rows = size_argument(argc, argv, 1, 64);
  const int columns = size_argument(argc, argv, 2, 4096);
  auto x = random_values<float>(size_t(rows) * columns, 1);
  const float reach = 8;  // values from -8 to 8
  for (float& value : x) value *= reach;

  DeviceArray<float> device_x(x), device_y(x.size());
  softmax<<<rows, kThreads>>>(columns, device_x.data(), device_y.data());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  // Relative: an exponential is off by the rounding of its exponent, at most 2 * reach, in base 2;
  // a thread rescales and adds once per value, and then come the sums over the workgroup.
  const int roundings = ceil_div(columns, kThreads) * 3 + 6 + kThreads / 32;
  const double relative = std::ldexp(roundings + 4 * 2 * reach * 1.45, -23);
  const auto y = device_y.to_host();
  Comparison comparison;
  for (int row = 0; row < rows; row++) {
    const float* values = &x[size_t(row) * columns];
    const double largest = *std::max_element(values, values + columns);
    double sum = 0;
    for (int i = 0; i < columns; i++) sum += std::exp(values[i] - largest);
    for (int i = 0; i < columns; i++) {
      const double want = std::exp(values[i] - largest) / sum;
      comparison.add(y[size_t(row) * columns + i], want, relative * want);
    }
  }
  return comparison.report("softmax " + std::to_string(rows) + "x" + std::to_string(columns),
                           "(roundings + 4 log2(e) |x|) 2^-23 y");
}
