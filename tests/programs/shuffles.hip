// Shuffles of lanes that are off, each beside its fixed twin (-DFIXED); shufflecheck_test.cpp.
#include <cstring>

#include "check.h"

constexpr int items = 256;

#ifdef FIXED
constexpr bool fixed = true;
#else
constexpr bool fixed = false;
#endif

__device__ float sum(float x, int lanes) {
  for (int step = lanes / 2; step; step /= 2) x += __shfl_xor(x, step);
  return x;
}

// Only some lanes come to the sum of all.
__global__ void total(const float* in, float* out, int n) {
  const int i = threadIdx.x;
  float x = 0;
  if (fixed) {
    if (i < n) x = in[i];
    x = sum(x, 32);
  } else if (i < n) {
    x = sum(in[i], 32);  // of total
  }
  out[i] = x;
}

// The other side of the branch has what this one wants.
__global__ void neighbours(const float* in, float* out) {
  const int i = threadIdx.x;
  float x = in[i];
  float y = 0;
  if (fixed) y = __shfl(x, i ^ 1);
  if (i & 1) {
    if (!fixed) y = __shfl(x, i ^ 1);  // of neighbours
    x -= y;
  }
  out[i] = x;
}

// Past the last work-item.
__global__ void ragged(const float* in, float* out) {
  const int i = threadIdx.x, last = static_cast<int>(blockDim.x) - 1;
  float x = in[i];
  const int from = fixed && i == last ? i : i + 1;
  x += __shfl(x, from);  // of ragged
  out[i] = x;
}

// Lanes of a branch that read each other.
__global__ void among_themselves(const float* in, float* out) {
  const int i = threadIdx.x;
  float x = in[i];
  if (i & 8) x = sum(x, 8);
  out[i] = x;
}

int main(int, char** arguments) {
  const char* name = arguments[1];
  float *in = nullptr, *out = nullptr;
  MUST(hipMallocManaged(&in, sizeof(float) * items));
  MUST(hipMallocManaged(&out, sizeof(float) * items));
  for (int i = 0; i < items; ++i) in[i] = float(i);
  const auto is = [&](const char* kernel) { return !std::strcmp(name, kernel); };
  if (is("total")) total<<<1, items>>>(in, out, 200 - 20);
  if (is("neighbours")) neighbours<<<1, items>>>(in, out);
  if (is("ragged")) ragged<<<1, 100>>>(in, out);
  if (is("among_themselves")) among_themselves<<<1, items>>>(in, out);
  MUST(hipDeviceSynchronize());
  return 0;
}
