// Barriers that not all work-items come to, each beside its fixed twin (-DFIXED);
// barriers_test.cpp.
#include <cstring>

#include "check.h"

constexpr int items = 256;

#ifdef FIXED
constexpr bool fixed = true;
#else
constexpr bool fixed = false;
#endif

// Half a wave comes to the barrier, and goes on with the other half.
__global__ void half(const float* in, float* out) {
  __shared__ float shared[items];
  const int i = threadIdx.x;
  shared[i] = in[i];
  if (fixed) __syncthreads();
  if ((i & 31) < 16) {
    shared[i] += 1;
    if (!fixed) __syncthreads();  // of half
    out[i + items] = shared[i];
  }
  __syncthreads();
  out[i] = shared[items - 1 - i];
}

// Each side of a branch has its own barrier.
__global__ void sides(const float* in, float* out) {
  __shared__ float shared[items];
  const int i = threadIdx.x;
  shared[i] = in[i];
  if (fixed) __syncthreads();
  if (i < 128) {
    shared[i] = in[i] * 2;
    if (!fixed) __syncthreads();  // of sides
    out[i] = shared[i];
  } else {
    shared[i] = in[i] + 3;
    if (!fixed) __syncthreads();  // and of sides
    out[i] = shared[i] - 1;
  }
  __syncthreads();
  out[i] += shared[items - 1 - i];
}

// Some waves leave the loop sooner, and wait behind it.
__global__ void loop(const float* in, float* out) {
  __shared__ float shared[items];
  const int i = threadIdx.x, rounds = fixed ? 4 : 2 + (i >= 128);
  float sum = in[i];
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    shared[i] = sum;
    __syncthreads();  // of loop
    sum += shared[(i + round) % items];
    __syncthreads();
  }
  shared[i] = sum;
  __syncthreads();
  out[i] = shared[items - 1 - i];
}

// Lanes have different numbers of rounds.
__global__ void ragged(const float* in, float* out, int count) {
  __shared__ float shared[items];
  const int i = threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int at = i; fixed ? at - i < count : at < count; at += items) {
    shared[i] = at < count ? in[at] : 0;
    __syncthreads();  // of ragged
    sum += shared[items - 1 - i];
  }
  out[i] = sum;
}

// A barrier in a condition of data.
__global__ void by_data(const float* in, float* out) {
  __shared__ float shared[items];
  const int i = threadIdx.x;
  const float value = in[i];
  shared[i] = value;
  if (fixed || value > 100) __syncthreads();  // of by_data
  out[i] = shared[i ^ 1];
}

// Those without work go by with `continue`.
__global__ void next(const float* in, float* out) {
  __shared__ float shared[items];
  const int i = threadIdx.x;
#pragma unroll 1
  for (int round = 0; round < 3; ++round) {
    const bool idle = (i + round) % 3 == 0;
    if (idle && !fixed) continue;
    if (!idle) shared[i] = in[i] + round;
    __syncthreads();  // of next
    out[i] = shared[i];
  }
}

// Right: work-items that have ended need not come.
__global__ void early(const float* in, float* out, int count) {
  __shared__ float shared[items];
  const int i = threadIdx.x;
  if (i >= count) return;
  shared[i] = in[i];
  __syncthreads();
  out[i] = shared[count - 1 - i];
}

// Right: waves with roles meet at barriers of their own.
__global__ void roles(const float* in, float* out) {
  __shared__ float shared[items];
  const int i = threadIdx.x;
  if (__builtin_amdgcn_readfirstlane(i) < 128) {
    shared[i] = in[i];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    out[i] = 1;
  } else {
    out[i] = 2;
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    out[i] = shared[i - 128];
  }
}

int main(int, char** arguments) {
  const char* name = arguments[1];
  float *in = nullptr, *out = nullptr;
  MUST(hipMallocManaged(&in, sizeof(float) * items * 2));
  MUST(hipMallocManaged(&out, sizeof(float) * items * 2));
  for (int i = 0; i < items * 2; ++i) in[i] = float(i);
  const auto is = [&](const char* kernel) { return !std::strcmp(name, kernel); };
  if (is("half")) half<<<1, items>>>(in, out);
  if (is("sides")) sides<<<1, items>>>(in, out);
  if (is("loop")) loop<<<1, items>>>(in, out);
  if (is("ragged")) ragged<<<1, items>>>(in, out, items + 40);
  if (is("by_data")) by_data<<<1, items>>>(in, out);
  if (is("next")) next<<<1, items>>>(in, out);
  if (is("early")) early<<<1, items>>>(in, out, 200);
  if (is("roles")) roles<<<1, items>>>(in, out);
  MUST(hipDeviceSynchronize());
  return 0;
}
