// What every example shares: error checks, random input, and the comparison with a reference.
#pragma once

#include <hip/hip_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#define HIP_CHECK(call)                                                  \
  do {                                                                   \
    const hipError_t error_ = (call);                                    \
    if (error_ != hipSuccess) {                                          \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   hipGetErrorString(error_));                           \
      std::exit(1);                                                      \
    }                                                                    \
  } while (0)

// A device array with the size of a host vector; freed with its owner.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t size) : size_(size) {
    if (size) HIP_CHECK(hipMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)));
  }
  explicit DeviceArray(const std::vector<T>& host) : DeviceArray(host.size()) {
    HIP_CHECK(hipMemcpy(data_, host.data(), size_ * sizeof(T), hipMemcpyHostToDevice));
  }
  ~DeviceArray() { (void)hipFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::vector<T> to_host() const {
    std::vector<T> host(size_);
    HIP_CHECK(hipMemcpy(host.data(), data_, size_ * sizeof(T), hipMemcpyDeviceToHost));
    return host;
  }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

// Uniform in [-1, 1], in steps that make every value exact in T and none subnormal.
template <class T>
std::vector<T> random_values(size_t count, unsigned seed) {
  const int steps = sizeof(T) == 2 ? 1 << 10 : 1 << 24;
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> step(-steps, steps);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(static_cast<float>(step(generator)) / steps);
  return values;
}

// The element whose error is the largest share of its tolerance.
class Comparison {
 public:
  void add(double got, double want, double tolerance) {
    const double error = std::fabs(got - want);
    const double share = error == 0 ? 0 : error / tolerance;
    if (share <= share_) return;  // a NaN is never "<=", so it is kept, and fails
    if (std::isnan(share_)) return;
    share_ = share, error_ = error, tolerance_ = tolerance;
  }

  // Prints the verdict in one line; returns the exit code.
  int report(const std::string& what, const char* tolerance) const {
    hipDeviceProp_t device;
    HIP_CHECK(hipGetDeviceProperties(&device, 0));
    const bool pass = share_ <= 1;
    std::printf("%s %s on %s (%s): worst error %.3g, tolerance there %.3g = %s\n",
                pass ? "PASS" : "FAIL", what.c_str(), device.name, device.gcnArchName, error_,
                tolerance_, tolerance);
    return pass ? 0 : 1;
  }

 private:
  double share_ = -1, error_ = 0, tolerance_ = 0;
};

// The size given as argument `index`, or the default.
inline int size_argument(int argc, char** argv, int index, int otherwise) {
  if (index >= argc) return otherwise;
  char* end = nullptr;
  const long value = std::strtol(argv[index], &end, 10);
  if (*end || value < 1 || value > 1 << 30) {
    std::fprintf(stderr, "%s: \"%s\" is not a size\n", argv[0], argv[index]);
    std::exit(2);
  }
  return static_cast<int>(value);
}

__host__ __device__ constexpr int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}
