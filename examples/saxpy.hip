// y = a * x + y, the "hello world" of GPU computing.
//   saxpy [N]
#include "common.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 1'000'003);  // a prime: the last block is not full
  const float a = 2.7182818f;
  const auto x = random_values<float>(n, 1), y = random_values<float>(n, 2);

  DeviceArray<float> device_x(x), device_y(y);
  const int threads = 256;
  saxpy<<<ceil_div(n, threads), threads>>>(n, a, device_x.data(), device_y.data());
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  // At most two roundings, of the product and of the sum; compilers fuse them into one.
  const auto result = device_y.to_host();
  Comparison comparison;
  for (int i = 0; i < n; i++) {
    const double product = double(a) * x[i];
    comparison.add(result[i], product + y[i],
                   std::ldexp(std::fabs(product) + std::fabs(y[i]), -23));
  }
  return comparison.report("saxpy " + std::to_string(n), "2^-23 (|a x| + |y|)");
}
