// RMS normalisation of each row: y = w x / sqrt(mean of x^2 + epsilon), with f16 inputs and outputs
// and f32 arithmetic. A workgroup takes a row, of any length, eight values to a load where it can.
//   rmsnorm [ROWS [COLUMNS]]
#include "common.h"
#include "reduce.h"

using f16 = _Float16;
using f16x8 = f16 __attribute__((ext_vector_type(8)));
using f32x8 = float __attribute__((ext_vector_type(8)));

constexpr int kThreads = 256;
constexpr float kEpsilon = 1e-5f;

__global__ __launch_bounds__(kThreads) void rmsnorm(int columns, const f16* __restrict__ x,
                                                    const f16* __restrict__ w,
                                                    f16* __restrict__ y) {
  x += size_t(blockIdx.x) * columns;
  y += size_t(blockIdx.x) * columns;
  // Only rows whose length is a multiple of eight all begin on 16 bytes.
  const int vectors = columns % 8 == 0 ? columns / 8 : 0;
  const auto load = [](const f16* from, int i) {
    return __builtin_convertvector(reinterpret_cast<const f16x8*>(from)[i], f32x8);
  };

  float sum = 0;
  for (int i = threadIdx.x; i < vectors; i += kThreads) {
    const f32x8 values = load(x, i);
    for (int j = 0; j < 8; j++) sum += values[j] * values[j];
  }
  for (int i = vectors * 8 + threadIdx.x; i < columns; i += kThreads) sum += float(x[i]) * x[i];
  sum = reduce_workgroup<kThreads>(sum, Add());

  const float scale = rsqrtf(sum / columns + kEpsilon);
  for (int i = threadIdx.x; i < vectors; i += kThreads)
    reinterpret_cast<f16x8*>(y)[i] =
        __builtin_convertvector(load(x, i) * scale * load(w, i), f16x8);
  for (int i = vectors * 8 + threadIdx.x; i < columns; i += kThreads)
    y[i] = static_cast<f16>(float(x[i]) * scale * float(w[i]));
}

int main(int argc, char** argv) {
  const int rows = size_argument(argc, argv, 1, 128);
  const int columns = size_argument(argc, argv, 2, 4096);
  const auto x = random_values<f16>(size_t(rows) * columns, 1), w = random_values<f16>(columns, 2);

  DeviceArray<f16> device_x(x), device_w(w), device_y(x.size());
  rmsnorm<<<rows, kThreads>>>(columns, device_x.data(), device_w.data(), device_y.data());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  // The output is rounded to f16, also where that is subnormal. Before that, all in f32: the sum of
  // squares, of which the root halves the error, and six more roundings.
  const double additions = ceil_div(columns, kThreads) + 8 + 6 + kThreads / 32;
  const double relative = std::ldexp(1, -11) + std::ldexp(additions / 2 + 6, -24);
  const auto y = device_y.to_host();
  Comparison comparison;
  for (int row = 0; row < rows; row++) {
    const f16* values = &x[size_t(row) * columns];
    double sum = 0;
    for (int i = 0; i < columns; i++) sum += double(values[i]) * double(values[i]);
    const double scale = 1 / std::sqrt(sum / columns + kEpsilon);
    for (int i = 0; i < columns; i++) {
      const double want = double(values[i]) * scale * double(w[i]);
      comparison.add(y[size_t(row) * columns + i], want,
                     relative * std::fabs(want) + std::ldexp(1, -25));
    }
  }
  return comparison.report("rmsnorm " + std::to_string(rows) + "x" + std::to_string(columns),
                           "(2^-11 + f32 roundings) |y| + 2^-25");
}
