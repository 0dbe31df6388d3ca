// docs/tutorials/softmax.md: softmax of each row in four steps, from naive to fast.
//   softmax_steps [ROWS [COLUMNS]]
#include "common.h"
#include "reduce.h"

constexpr int kThreads = 256;

// 0: a thread takes a row.
__global__ void by_thread(int rows, int columns, const float* __restrict__ x,
                          float* __restrict__ y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += size_t(row) * columns, y += size_t(row) * columns;
  float largest = -INFINITY, sum = 0;
  for (int i = 0; i < columns; ++i) largest = fmaxf(largest, x[i]);
  for (int i = 0; i < columns; ++i) sum += __expf(x[i] - largest);
  for (int i = 0; i < columns; ++i) y[i] = __expf(x[i] - largest) / sum;
}

// 1: a workgroup takes a row; neighbouring threads take neighbouring values.
__global__ __launch_bounds__(kThreads) void by_workgroup(int, int columns,
                                                         const float* __restrict__ x,
                                                         float* __restrict__ y) {
  x += size_t(blockIdx.x) * columns, y += size_t(blockIdx.x) * columns;
  float largest = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads) largest = fmaxf(largest, x[i]);
  largest = reduce_workgroup<kThreads>(largest, Max());
  for (int i = threadIdx.x; i < columns; i += kThreads) sum += __expf(x[i] - largest);
  const float scale = 1 / reduce_workgroup<kThreads>(sum, Add());
  for (int i = threadIdx.x; i < columns; i += kThreads) y[i] = __expf(x[i] - largest) * scale;
}

// 2: a thread takes four values at a time.
__global__ __launch_bounds__(kThreads) void four_at_once(int, int columns,
                                                         const float* __restrict__ x,
                                                         float* __restrict__ y) {
  const float4* const in = reinterpret_cast<const float4*>(x + size_t(blockIdx.x) * columns);
  float4* const out = reinterpret_cast<float4*>(y + size_t(blockIdx.x) * columns);
  const int fours = columns / 4;
  float largest = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < fours; i += kThreads) {
    const float4 v = in[i];
    largest = fmaxf(fmaxf(fmaxf(largest, v.x), fmaxf(v.y, v.z)), v.w);
  }
  largest = reduce_workgroup<kThreads>(largest, Max());
  for (int i = threadIdx.x; i < fours; i += kThreads) {
    const float4 v = in[i];
    sum += __expf(v.x - largest) + __expf(v.y - largest) + __expf(v.z - largest) +
           __expf(v.w - largest);
  }
  const float scale = 1 / reduce_workgroup<kThreads>(sum, Add());
  for (int i = threadIdx.x; i < fours; i += kThreads) {
    const float4 v = in[i];
    out[i] = make_float4(__expf(v.x - largest) * scale, __expf(v.y - largest) * scale,
                         __expf(v.z - largest) * scale, __expf(v.w - largest) * scale);
  }
}

// 3: the row stays in registers; all of it is asked for at once.
template <int kFours>
__global__ __launch_bounds__(kThreads) void in_registers(int, int, const float* __restrict__ x,
                                                         float* __restrict__ y) {
  constexpr int columns = kFours * kThreads * 4;
  const float4* const in = reinterpret_cast<const float4*>(x + size_t(blockIdx.x) * columns);
  float4* const out = reinterpret_cast<float4*>(y + size_t(blockIdx.x) * columns);
  float4 v[kFours];
  for (int k = 0; k < kFours; ++k) v[k] = in[k * kThreads + threadIdx.x];
  float largest = -INFINITY, sum = 0;
  for (const float4& f : v) largest = fmaxf(fmaxf(fmaxf(largest, f.x), fmaxf(f.y, f.z)), f.w);
  largest = reduce_workgroup<kThreads>(largest, Max());
  for (float4& f : v) {
    f = make_float4(__expf(f.x - largest), __expf(f.y - largest), __expf(f.z - largest),
                    __expf(f.w - largest));
    sum += f.x + f.y + f.z + f.w;
  }
  const float scale = 1 / reduce_workgroup<kThreads>(sum, Add());
  for (int k = 0; k < kFours; ++k)
    out[k * kThreads + threadIdx.x] =
        make_float4(v[k].x * scale, v[k].y * scale, v[k].z * scale, v[k].w * scale);
}

int main(int argc, char** argv) {
  constexpr int kFours = 4;
  const int rows = size_argument(argc, argv, 1, 4096);
  const int columns = kFours * kThreads * 4;
  auto x = random_values<float>(size_t(rows) * columns, 1);
  const float reach = 8;  // values from -8 to 8
  for (float& value : x) value *= reach;
  DeviceArray<float> device_x(x), device_y(x.size());

  std::vector<double> want(columns);
  const auto check = [&](const char* name) {
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    const auto y = device_y.to_host();
    Comparison comparison;
    for (int row = 0; row < rows; row += 97) {
      const float* values = &x[size_t(row) * columns];
      const double largest = *std::max_element(values, values + columns);
      double sum = 0;
      for (int i = 0; i < columns; i++) sum += want[i] = std::exp(values[i] - largest);
      // Of a thread's additions one after the other, at worst; and the exponent's rounding.
      const double relative = std::ldexp(columns + 8 * reach, -23);
      for (int i = 0; i < columns; i++)
        comparison.add(y[size_t(row) * columns + i], want[i] / sum, relative * want[i] / sum);
    }
    return comparison.report(name, "(columns + 8 |x|) 2^-23 y");
  };
  const auto launch = [&](auto kernel, int workgroups, const char* name) {
    kernel<<<workgroups, kThreads>>>(rows, columns, device_x.data(), device_y.data());
    return check(name);
  };
  return launch(by_thread, ceil_div(rows, kThreads), "by_thread") |
         launch(by_workgroup, rows, "by_workgroup") | launch(four_at_once, rows, "four_at_once") |
         launch(in_registers<kFours>, rows, "in_registers");
}
