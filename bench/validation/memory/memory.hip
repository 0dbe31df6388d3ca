// Kernels of the structure of RRZE-HPC/gpu-benches' gpu-latency, gpu-cache, gpu-l2-cache,
// gpu-l2-stream, gpu-strides and gpu-small-kernels: the same work-items, loops, unrolling, types
// and order of addresses; loops run as often as the model needs (points.cpp).
#include <hip/hip_runtime.h>

#include <cstddef>
#include <cstdint>

/// Follows pointers.
__global__ void chase(std::int64_t* from, std::int64_t* __restrict__ out, std::int64_t steps) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  std::int64_t* at = from;
#pragma unroll 1
  for (std::int64_t n = 0; n < steps; n += 32) {
#pragma unroll
    for (int u = 0; u < 32; ++u) at = reinterpret_cast<std::int64_t*>(*at);
  }
  if (i > 12313) out[0] = reinterpret_cast<std::int64_t>(at);
}

/// Reads `elements` twice in a round. `elements` of 0: many, `count`; the loop is unrolled the
/// same.
template <int elements, int block>
__global__ void sum(float4* __restrict__ a, const float4* __restrict__ b, int zero, int rounds,
                    int count) {
  float4 total = {0, 0, 0, 0};
  constexpr int each = elements ? elements / block : 64;  // of a work-item in a round
  constexpr int outer = each > 32 ? 1 : 32 / each, inner = each >= 64 ? 32 : each;
  const int n = elements ? elements : count;
  b += threadIdx.x;
#pragma unroll outer
  for (int round = 0; round < rounds; ++round) {
    b += zero;
    const float4* c = b + n;
#pragma unroll inner
    for (int i = 0; i < n; i += block) total += b[i] * c[i];
    total *= float4{1.3f, 1.3f, 1.3f, 1.3f};
  }
  if (total.x == 1233 && total.y == 1233 && total.z == 1233 && total.w == 1233)
    a[threadIdx.x] += total;
}

#define SUM(elements, block)                                                                      \
  template __global__ void sum<elements, block>(float4* __restrict__, const float4* __restrict__, \
                                                int, int, int)
SUM(0, 512);
SUM(128, 128);
SUM(256, 256);
SUM(512, 512);
SUM(1024, 512);
SUM(1536, 512);
SUM(2048, 512);
SUM(3072, 512);
SUM(4096, 512);
SUM(6144, 512);
SUM(8192, 512);
SUM(12288, 512);
SUM(16384, 512);

/// Workgroups of 1,024 read `chunks` of 512 KiB in turn.
__global__ void l2_sum(double* __restrict__ a, const double* __restrict__ b, int chunks) {
  constexpr int elements = 64, block = 1024;
  double total = 0;
  for (int i = 0; i < elements / 2; ++i) {
    const int at = (blockDim.x * chunks * i + (blockIdx.x % chunks) * block) * 2 + threadIdx.x;
    total += b[at] * b[at + block];
  }
  total *= 1.3;
  if (threadIdx.x > 1233 || total == 23.12) a[threadIdx.x] += total;
}

// As gpu-stream (../stream.hip), round and round.
enum class Kind { Read, Scale, Triad, Write };
template <Kind kind, int length>
__global__ void stream(double* a, const double* __restrict__ b, const double* __restrict__ c,
                       const double* __restrict__ d, std::size_t n, bool never) {
  extern __shared__ double spare[];
  const int i = (threadIdx.x + blockIdx.x * blockDim.x) % length;
  if (static_cast<std::size_t>(i) >= n) return;
  if (never) spare[threadIdx.x] = b[threadIdx.x];
  if constexpr (kind == Kind::Scale) a[i] = b[i] * 1.2;
  if constexpr (kind == Kind::Triad) a[i] = b[i] * d[i] + c[i];
  if constexpr (kind == Kind::Write) a[i] = 0.23;
  if constexpr (kind == Kind::Read) {
    const double value = b[i];
    if (never || value == 123.0) a[i] = value + spare[i];
  } else {
    if (never) a[i] = spare[i];
  }
}

/// Of arrays as l2_stream.csv has them: 8,192 x STEP + 8,161 doubles.
#define STREAM(kind, step)                                                                         \
  template __global__ void stream<kind, 8192 * step + 8161>(                                       \
      double*, const double* __restrict__, const double* __restrict__, const double* __restrict__, \
      std::size_t, bool)
#define STREAMS(step)        \
  STREAM(Kind::Read, step);  \
  STREAM(Kind::Scale, step); \
  STREAM(Kind::Triad, step); \
  STREAM(Kind::Write, step)
STREAMS(2);
STREAMS(34);
STREAMS(115);
STREAMS(703);
STREAMS(4227);

/// Eight elements of 4 in turn, the same ones each time.
template <class T>
__device__ T eight(const T* at, int zero, int rounds) {
  T total = 0;
#pragma unroll 1
  for (int n = 0; n < rounds; ++n) {
    at += zero;
    total += at[0] * at[4];
    total += at[8] * at[12];
    total += at[20] * at[16];
    total += at[24] * at[28];
  }
  return total;
}
template <class T>
__global__ void strides(T* a, T* b, int zero, int stride, int rounds) {
  const T total = eight(a + (threadIdx.x % 64) * stride, zero, rounds);
  if (total == T(123123.23)) b[threadIdx.x] = total;
}
template <class T>
__global__ __launch_bounds__(1024) void blocks(T* a, T* b, int zero, int pitch, int rounds) {
  const int x = threadIdx.x % 64, y = threadIdx.y % 32;
  const T total = eight(a + x + y * pitch + pitch, zero, rounds);
  if (total == T(123123.23)) b[x] = total;
}
#define ONE_WORKGROUP(type)                                            \
  template __global__ void strides<type>(type*, type*, int, int, int); \
  template __global__ void blocks<type>(type*, type*, int, int, int)
ONE_WORKGROUP(float);
ONE_WORKGROUP(double);

__global__ void scale(double* __restrict__ a, const double* __restrict__ b, int n, bool) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  a[i] = b[i] * 0.25;
}
