// Results that hang on what nobody wrote, each beside its fixed twin (-DFIXED); initcheck_test.cpp.
#include <cstring>

#include "check.h"

constexpr int items = 256;

#ifdef FIXED
constexpr bool fixed = true;
#else
constexpr bool fixed = false;
#endif

// A buffer of which the last part was never filled.
__global__ void total(const float* in, float* out) {
  float sum = 0;
  for (int i = 0; i < items; ++i) sum += in[i];
  *out = sum;  // of total
}

// A sum that begins with what is there.
__global__ void count(float* sums) {
  atomicAdd(sums + threadIdx.x % 8, 1.0f);  // of count
}

// A reduction in LDS of which half was not filled.
__global__ void reduce(const float* in, float* out) {
  __shared__ float shared[items];
  const int i = threadIdx.x;
  if (fixed || i < items / 2) shared[i] = in[i];
  for (int step = items / 2; step > 0; step /= 2) {
    __syncthreads();
    if (i < step) shared[i] += shared[i + step];
  }
  if (i == 0) *out = shared[0];  // of reduce
}

// An array of the work-item's, of which not all is filled.
__global__ void own(const int* in, float* out, int count) {
  float values[200];
  if (fixed)
    for (int i = 0; i < 200; ++i) values[i] = 1;
#pragma unroll 1
  for (int i = 0; i < count; ++i) values[in[i] % 200] = float(i);
  out[threadIdx.x] = values[in[threadIdx.x] % 200];  // of own
}

// A flag that nobody set.
__global__ void flag(const int* set, float* out) {
  if (*set)  // of flag
    out[threadIdx.x] = 1;
  else
    out[threadIdx.x] = 2;
}

// A place that nobody set.
__global__ void scatter(const unsigned* where, float* out) {
  out[where[threadIdx.x] % items] = float(threadIdx.x);  // of scatter
}

// What one kernel leaves out, the next one reads.
__global__ void evens(float* out) {
  if (fixed || threadIdx.x % 2 == 0) out[threadIdx.x] = float(threadIdx.x);
}
__global__ void neighbours(const float* in, float* out) {
  const int i = threadIdx.x;
  out[i] = in[i] + in[(i + 1) % items];  // of chain
}

// Right: padding is read, and masked.
__global__ void masked(const float* in, float* out, int count) {
  const int i = threadIdx.x;
  const float value = in[i];
  out[i] = i < count ? value : 0;
}

int main(int, char** arguments) {
  const char* name = arguments[1];
  const auto is = [&](const char* kernel) { return !std::strcmp(name, kernel); };
  float *in = device_array<float>(items), *out = device_array<float>(items);
  int* numbers = device_array<int>(items);
  float host[items];
  int ints[items];
  for (int i = 0; i < items; ++i) host[i] = float(i), ints[i] = i * 7 % 12;
  const auto fill = [&](int count) {
    MUST(hipMemcpy(in, host, sizeof(float) * count, hipMemcpyHostToDevice));
  };
  if (is("total")) {
    fill(fixed ? items : items - 10);
    total<<<1, 1>>>(in, out);
  }
  if (is("copied")) {  // total, of a copy of what nobody wrote
    if (fixed) fill(items);
    MUST(hipMemcpy(out, in, sizeof(float) * items, hipMemcpyDeviceToDevice));
    total<<<1, 1>>>(out, reinterpret_cast<float*>(numbers));
  }
  if (is("count")) {
    if (fixed) MUST(hipMemset(out, 0, sizeof(float) * 8));
    count<<<1, items>>>(out);
  }
  if (is("reduce")) {
    fill(items);
    reduce<<<1, items>>>(in, out);
  }
  if (is("own")) {
    MUST(hipMemcpy(numbers, ints, sizeof ints, hipMemcpyHostToDevice));
    own<<<1, items>>>(numbers, out, 5);
  }
  if (is("flag")) {
    if (fixed) MUST(hipMemset(numbers, 0, sizeof(int)));
    flag<<<1, items>>>(numbers, out);
  }
  if (is("scatter")) {
    if (fixed) MUST(hipMemcpy(numbers, ints, sizeof ints, hipMemcpyHostToDevice));
    scatter<<<1, items>>>(reinterpret_cast<unsigned*>(numbers), out);
  }
  if (is("chain")) {
    evens<<<1, items>>>(in);
    neighbours<<<1, items>>>(in, out);
  }
  if (is("pool")) {  // total, of memory of a pool
    float* pooled = nullptr;
    MUST(hipMallocAsync(reinterpret_cast<void**>(&pooled), sizeof(float) * items, nullptr));
    if (fixed) MUST(hipMemsetAsync(pooled, 0, sizeof(float) * items, nullptr));
    total<<<1, 1>>>(pooled, out);
  }
  if (is("masked")) {
    fill(100);
    masked<<<1, items>>>(in, out, 100);
  }
  MUST(hipDeviceSynchronize());
  MUST(hipMemcpy(host, out, sizeof host, hipMemcpyDeviceToHost));
  float sum = 0;
  for (const float value : host) sum += value;
  std::printf("%g\n", sum);
  return 0;
}
