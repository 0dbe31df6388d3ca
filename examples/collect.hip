// Times kernels that are bound by different things, for `hipsight calibrate` (docs/calibrate.md).
//   collect [--small] [--repeat N] [--keep-caches]    all of them: "command,microseconds"
//   collect CASE SIZE                                 one of them, once
// Each time is a median of N launches, each with caches full of other data.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(call)                                                    \
  if (const hipError_t error = (call); error != hipSuccess) {          \
    std::fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error)); \
    std::exit(1);                                                      \
  }

/// As good as nothing: the time of a launch.
__global__ void empty(float* to) {
  if (to) to[threadIdx.x] = 0;
}

__global__ void copy(const float4* from, float4* to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    to[i] = from[i];
}

__global__ void triad(const float4* a, const float4* b, float4* to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float4 x = a[i], y = b[i];
    to[i] = {x.x + 3 * y.x, x.y + 3 * y.y, x.z + 3 * y.z, x.w + 3 * y.w};
  }
}

__global__ void sum(const float4* from, float* to, int n) {
  float total = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    total += from[i].x + from[i].y + from[i].z + from[i].w;
  to[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

/// Each load's address is what the one before it read: latency.
__global__ void chase(const int* next, int* to, int steps) {
  int at = threadIdx.x;
  for (int i = 0; i < steps; i++) at = next[at];
  to[threadIdx.x] = at;
}

/// The same 256 KiB of each workgroup, again and again: from the L2.
__global__ void reread(const float4* from, float* to, int times) {
  float total = 0;
  const float4* const own = from + (blockIdx.x % 8) * 16384;
  for (int k = 0; k < times; k++)
    for (int i = threadIdx.x; i < 16384; i += blockDim.x) total += own[i ^ k].x;
  to[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

/// Multiplications and additions of registers.
__global__ void multiply_add(float* to, int steps) {
  float x[8];
  for (int k = 0; k < 8; k++) x[k] = threadIdx.x * 0.001f + k;
  for (int i = 0; i < steps; i++)
    for (int k = 0; k < 8; k++) x[k] = x[k] * 0.999f + 0.5f;
  float total = 0;
  for (int k = 0; k < 8; k++) total += x[k];
  to[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

__global__ void transpose(const float* from, float* to, int n) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) tile[threadIdx.y + k][threadIdx.x] = from[(y + k) * n + x];
  __syncthreads();
  const int to_x = blockIdx.y * 32 + threadIdx.x, to_y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8) to[(to_y + k) * n + to_x] = tile[threadIdx.x][threadIdx.y + k];
}

struct Memory {
  float *a = nullptr, *b = nullptr, *c = nullptr;
  explicit Memory(std::size_t bytes) {
    for (float** one : {&a, &b, &c}) {
      CHECK(hipMalloc(reinterpret_cast<void**>(one), bytes));
      CHECK(hipMemset(*one, 0, bytes));
    }
  }
};

constexpr int blocks = 2048, threads = 256;

/// `size`: bytes of an array, steps, or a side. Returns the bytes of an array that it needs.
std::size_t bytes_of(const std::string& name, int size) {
  const std::size_t least = blocks * threads * sizeof(float) + (4 << 20);
  if (name == "transpose") return std::max(least, std::size_t(size) * size * sizeof(float));
  if (name == "copy" || name == "triad" || name == "sum") return std::max(least, std::size_t(size));
  return least;
}

bool launch(const std::string& name, int size, const Memory& m) {
  const int vectors = size / int(sizeof(float4));
  const auto* a = reinterpret_cast<const float4*>(m.a);
  const auto* b = reinterpret_cast<const float4*>(m.b);
  auto* c = reinterpret_cast<float4*>(m.c);
  const int grid = std::clamp((vectors + threads - 1) / threads, 1, blocks);
  if (name == "empty")
    empty<<<1, threads>>>(nullptr);
  else if (name == "copy")
    copy<<<grid, threads>>>(a, c, vectors);
  else if (name == "triad")
    triad<<<grid, threads>>>(a, b, c, vectors);
  else if (name == "sum")
    sum<<<grid, threads>>>(a, m.c, vectors);
  else if (name == "chase")
    chase<<<1, 64>>>(reinterpret_cast<const int*>(m.b), reinterpret_cast<int*>(m.c), size);
  else if (name == "reread")
    reread<<<blocks / 4, threads>>>(a, m.c, size);
  else if (name == "fma")
    multiply_add<<<blocks / 4, threads>>>(m.c, size);
  else if (name == "transpose")
    transpose<<<dim3(size / 32, size / 32), dim3(32, 8)>>>(m.a, m.c, size);
  else
    return false;
  return true;
}

/// A ring through all of an array, in steps of 258 KiB: no step is near the one before.
void fill_ring(const Memory& m, std::size_t bytes) {
  const int count = int(bytes / sizeof(int));
  std::vector<int> next(count);
  for (int i = 0; i < count; i++) next[i] = int((i + 1031LL * 64) % count);
  CHECK(hipMemcpy(m.b, next.data(), count * sizeof(int), hipMemcpyHostToDevice));
}

double microseconds(const std::string& name, int size, const Memory& m, int repeat, float* other,
                    std::size_t other_bytes) {
  hipEvent_t begin, end;
  CHECK(hipEventCreate(&begin));
  CHECK(hipEventCreate(&end));
  std::vector<float> all;
  for (int i = 0; i < repeat; i++) {
    if (other) CHECK(hipMemsetAsync(other, i, other_bytes));
    CHECK(hipEventRecord(begin));
    launch(name, size, m);
    CHECK(hipEventRecord(end));
    CHECK(hipEventSynchronize(end));
    float milliseconds = 0;
    CHECK(hipEventElapsedTime(&milliseconds, begin, end));
    all.push_back(milliseconds);
  }
  std::sort(all.begin(), all.end());
  return all[all.size() / 2] * 1e3;
}

int main(int argc, char** argv) {
  if (argc == 3 && argv[1][0] != '-') {
    const int size = std::atoi(argv[2]);
    const Memory memory(bytes_of(argv[1], size));
    if (!std::strcmp(argv[1], "chase")) fill_ring(memory, bytes_of(argv[1], size));
    if (!launch(argv[1], size, memory)) {
      std::fprintf(stderr, "%s: no such case\n", argv[1]);
      return 2;
    }
    CHECK(hipDeviceSynchronize());
    return 0;
  }
  bool small = false, keep = false;
  int repeat = 21;
  for (int i = 1; i < argc; i++) {
    if (!std::strcmp(argv[i], "--small")) small = true;
    if (!std::strcmp(argv[i], "--keep-caches")) keep = true;
    if (!std::strcmp(argv[i], "--repeat") && i + 1 < argc)
      repeat = std::max(1, std::atoi(argv[++i]));
  }
  struct Case {
    const char* name;
    int size;
  };
  std::vector<Case> cases{
      {"empty", 1},      {"chase", 200},    {"chase", 1000},    {"fma", 50},
      {"fma", 400},      {"reread", 1},     {"reread", 4},      {"copy", 1 << 16},
      {"copy", 1 << 20}, {"copy", 4 << 20}, {"triad", 1 << 20}, {"triad", 4 << 20},
      {"sum", 1 << 20},  {"sum", 8 << 20},  {"transpose", 512}, {"transpose", 1024}};
  if (!small)
    cases.insert(cases.end(), {{"copy", 64 << 20},
                               {"copy", 256 << 20},
                               {"triad", 64 << 20},
                               {"triad", 256 << 20},
                               {"sum", 64 << 20},
                               {"sum", 512 << 20},
                               {"fma", 4000},
                               {"reread", 32},
                               {"chase", 10000},
                               {"transpose", 4096},
                               {"transpose", 8192}});
  const std::size_t other_bytes = keep ? 0 : std::size_t(512) << 20;
  float* other = nullptr;
  if (!keep) CHECK(hipMalloc(reinterpret_cast<void**>(&other), other_bytes));
  std::printf("command,microseconds\n");
  for (const Case& one : cases) {
    const Memory memory(bytes_of(one.name, one.size));
    if (!std::strcmp(one.name, "chase")) fill_ring(memory, bytes_of(one.name, one.size));
    launch(one.name, one.size, memory);  // the first launch loads the code
    CHECK(hipDeviceSynchronize());
    std::printf("%s %s %d,%.3f\n", argv[0], one.name, one.size,
                microseconds(one.name, one.size, memory, repeat, other, other_bytes));
    std::fflush(stdout);
    for (float* p : {memory.a, memory.b, memory.c}) CHECK(hipFree(p));
  }
  return 0;
}
