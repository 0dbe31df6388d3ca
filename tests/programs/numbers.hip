// Kernels that store what is no number, each beside its fixed twin (-DFIXED); numcheck_test.cpp.
#include <hip/hip_fp16.h>

#include <cmath>
#include <cstring>

#include "check.h"

#ifdef FIXED
constexpr bool fixed = true;
#else
constexpr bool fixed = false;
#endif

// The square root of a negative number.
__global__ void root(const float* in, float* out) {
  const float value = in[threadIdx.x] - 3;
  out[threadIdx.x] = __builtin_sqrtf(fixed ? fabsf(value) : value);  // of root
}

// 0 / 0.
__global__ void quotient(const float* in, float* out) {
  const float value = in[threadIdx.x];
  out[threadIdx.x] = value / (fixed ? value + 1 : value);  // of quotient
}

// A softmax's first step of a row that is masked as a whole: -inf less -inf.
__global__ void difference(const float* in, float* out, int count) {
  const int i = threadIdx.x;
  const float value = fixed || i < count ? in[i] : -INFINITY;
  float most = value;
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor(most, step, 32));
  out[i] = value - most;  // of difference
}

// An exponential that is too large.
__global__ void power(const float* in, float* out) {
  const float value = in[threadIdx.x];
  out[threadIdx.x] = __expf(fixed ? value : value * 10);  // of power
}

// What a half cannot hold.
__global__ void narrow(const float* in, __half* out) {
  const float value = in[threadIdx.x] * (fixed ? 1 : 2000);
  out[threadIdx.x] = __float2half(value);  // of narrow
}

// The same in doubles.
__global__ void wide(const double* in, double* out) {
  const double value = in[threadIdx.x];
  out[threadIdx.x] = value * (fixed ? 1 : 1e300) * (fixed ? 1 : 1e10);  // of wide
}

// A sum over lanes of what one of them got wrong.
__global__ void sum(const float* in, float* out) {
  __shared__ float shared[64];
  const int i = threadIdx.x;
  shared[i] = __logf(fixed ? in[i] + 1 : in[i]);  // of sum
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (i < step) shared[i] += shared[i + step];
    __syncthreads();
  }
  if (i == 0) *out = shared[0];
}

// What came with the data.
__global__ void passed(const float* in, float* out) {
  const float value = in[threadIdx.x];  // of passed
  out[threadIdx.x] = fixed && value != value ? 0 : value * 2;
}

// Right: a softmax that masks by -inf.
__global__ void masked(const float* in, float* out, int count) {
  const int i = threadIdx.x;
  const float value = i % 32 < count ? in[i] : -INFINITY;
  float most = value;
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor(most, step, 32));
  const float part = __expf(value - most);
  float all = part;
  for (int step = 16; step > 0; step /= 2) all += __shfl_xor(all, step, 32);
  out[i] = part / all;
}

int main(int, char** arguments) {
  const char* name = arguments[1];
  const auto is = [&](const char* kernel) { return !std::strcmp(name, kernel); };
  float *in = device_array<float>(64), *out = device_array<float>(64);
  double *wide_in = device_array<double>(64), *wide_out = device_array<double>(64);
  float host[64];
  double wide_host[64];
  for (int i = 0; i < 64; ++i) wide_host[i] = host[i] = float(i);
  if (is("passed")) host[7] = NAN;
  MUST(hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice));
  MUST(hipMemcpy(wide_in, wide_host, sizeof wide_host, hipMemcpyHostToDevice));
  if (is("root")) root<<<1, 64>>>(in, out);
  if (is("quotient")) quotient<<<1, 64>>>(in, out);
  if (is("difference")) difference<<<1, 64>>>(in, out, 20);
  if (is("power")) power<<<1, 64>>>(in, out);
  if (is("narrow")) narrow<<<1, 64>>>(in, reinterpret_cast<__half*>(out));
  if (is("wide")) wide<<<1, 64>>>(wide_in, wide_out);
  if (is("sum")) sum<<<1, 64>>>(in, out);
  if (is("passed")) passed<<<1, 64>>>(in, out);
  if (is("masked")) masked<<<1, 64>>>(in, out, 20);
  MUST(hipDeviceSynchronize());
  return 0;
}
