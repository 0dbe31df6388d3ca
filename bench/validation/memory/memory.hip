// Kernels of the structure of RRZE-HPC/gpu-benches' gpu-latency, gpu-cache, gpu-l2-cache,
// gpu-l2-stream, gpu-strides and gpu-small-kernels: the same work-items, loops, unrolling, types
// and order of addresses; loops run as often as the model needs.
//   memory latency LINES STEPS          one work-item follows pointers through lines of 128 bytes
//   memory cache ELEMENTS ROUNDS        a workgroup for each compute unit reads the same 2 x
//   ELEMENTS memory l2-cache RUN                 200,000 workgroups of 1,024 read RUN chunks of 512
//   KiB in turn memory l2-stream STEP BLOCK WORKGROUPS   2^30 work-items go round in arrays of
//                                       8,192 x STEP + 8,161 doubles, WORKGROUPS on a compute unit
//   memory strides float|double STRIDE  one workgroup of 1,024, lanes so many elements apart
//   memory blocks float|double WIDTH    the same, lanes in rows of WIDTH
//   memory small ELEMENTS BLOCK         one launch that scales an array
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t line = 128;

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "memory: %s\n", hipGetErrorString(error));
  std::exit(1);
}
template <class T>
T* allocate(std::size_t count) {
  T* memory = nullptr;
  check(hipMalloc(&memory, count * sizeof(T)));
  return memory;
}

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

void latency(std::size_t lines, std::int64_t steps) {
  auto* memory = allocate<char>(lines * line);
  std::vector<std::uint32_t> order(lines);  // one cycle through all lines
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  std::vector<char*> pointers(lines * line / sizeof(char*));
  for (std::size_t i = 0; i < lines; ++i)
    pointers[order[i] * line / sizeof(char*)] = memory + order[(i + 1) % lines] * line;
  check(hipMemcpy(memory, pointers.data(), lines * line, hipMemcpyHostToDevice));
  chase<<<1, 1>>>(reinterpret_cast<std::int64_t*>(memory), allocate<std::int64_t>(1), steps);
}

/// `elements` of 0: many, `count`; the loop is unrolled the same.
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

void cache(int elements, int rounds) {
  hipDeviceProp_t device;
  check(hipGetDeviceProperties(&device, 0));
  auto* a = allocate<float4>(2 * elements);
  auto* b = allocate<float4>(2 * elements);
  const auto run = [&](auto kernel, int block) {
    kernel<<<device.multiProcessorCount, block>>>(a, b, 0, rounds, elements);
  };
  switch (elements) {
    case 128:
      return run(sum<128, 128>, 128);
    case 256:
      return run(sum<256, 256>, 256);
    case 512:
      return run(sum<512, 512>, 512);
    case 1024:
      return run(sum<1024, 512>, 512);
    case 1536:
      return run(sum<1536, 512>, 512);
    case 2048:
      return run(sum<2048, 512>, 512);
    case 3072:
      return run(sum<3072, 512>, 512);
    case 4096:
      return run(sum<4096, 512>, 512);
    case 6144:
      return run(sum<6144, 512>, 512);
    case 8192:
      return run(sum<8192, 512>, 512);
    case 12288:
      return run(sum<12288, 512>, 512);
    case 16384:
      return run(sum<16384, 512>, 512);
    default:
      return run(sum<0, 512>, 512);
  }
}

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

template <int step>
void l2_stream_of(int block, int workgroups) {
  constexpr int length = 8192 * step + 8161;
  constexpr std::size_t n = (std::size_t{1} << 30) + 2;
  hipDeviceProp_t device;
  check(hipGetDeviceProperties(&device, 0));
  const std::size_t lds = device.sharedMemPerBlock / workgroups / 512 * 512;
  double* arrays[4];
  for (double*& array : arrays) array = allocate<double>(length);
  const auto run = [&](auto kernel) {
    kernel<<<n / block + 1, block, lds>>>(arrays[0], arrays[1], arrays[2], arrays[3], n, false);
    check(hipDeviceSynchronize());
  };
  run(stream<Kind::Read, length>);
  run(stream<Kind::Scale, length>);
  run(stream<Kind::Triad, length>);
  run(stream<Kind::Write, length>);
}
/// The steps of the rows in l2_stream.csv.
template <int... steps>
void l2_stream(std::integer_sequence<int, steps...>, int step, int block, int workgroups) {
  if (!((step == steps && (l2_stream_of<steps>(block, workgroups), true)) || ...)) {
    std::fprintf(stderr, "memory: no array of step %d\n", step);
    std::exit(2);
  }
}

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
constexpr int stride_rounds = 1024;

__global__ void scale(double* __restrict__ a, const double* __restrict__ b, int n, bool) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  a[i] = b[i] * 0.25;
}

template <class T>
void one_workgroup(bool rows, int argument) {
  auto* a = allocate<T>(1 << 20);
  auto* b = allocate<T>(1 << 20);
  if (rows)
    blocks<T><<<1, dim3(argument, 1024 / argument)>>>(a, b, 0, 4096 + 2, stride_rounds);
  else
    strides<T><<<1, 1024>>>(a, b, 0, argument, stride_rounds);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 1; };
  if (what == "latency") {
    latency(number(2), number(3));
  } else if (what == "cache") {
    cache(number(2), number(3));
  } else if (what == "l2-cache") {
    const int chunks = number(2);
    l2_sum<<<200000, 1024>>>(allocate<double>(1024), allocate<double>(std::size_t{65536} * chunks),
                             chunks);
  } else if (what == "l2-stream") {
    l2_stream(std::integer_sequence<int, 2, 34, 115, 703, 4227>(), number(2), number(3), number(4));
  } else if (what == "strides" || what == "blocks") {
    std::string(argv[2]) == "float" ? one_workgroup<float>(what == "blocks", number(3))
                                    : one_workgroup<double>(what == "blocks", number(3));
  } else if (what == "small") {
    const int n = number(2), block = number(3);
    scale<<<n / block + 1, block>>>(allocate<double>(n), allocate<double>(n), n, false);
  } else {
    std::fprintf(stderr,
                 "memory latency|cache|l2-cache|l2-stream|strides|blocks|small NUMBER...\n");
    return 2;
  }
  check(hipGetLastError());
  check(hipDeviceSynchronize());
}
