// Kernels whose waves share LDS: each right with FIXED, and wrong in its own way without. One is
// launched, by its name; all print what they compute, which may be right here nevertheless.
#include <cstring>

#include "check.h"

#ifdef FIXED
#define BARRIER() __syncthreads()
#else
#define BARRIER()
#endif

constexpr int items = 256;

/// Each item reads what another wave's item stored.
__global__ void handover(const float* in, float* out) {
  __shared__ float shared[items];
  const int i = threadIdx.x;
  shared[i] = in[i];  // 1 of handover
  BARRIER();
  out[i] = shared[items - 1 - i];  // 2 of handover
}
/// The last steps of a sum.
__global__ void sum(const float* in, float* out) {
  __shared__ float shared[items];
  const int i = threadIdx.x;
  shared[i] = in[i];
  __syncthreads();
  for (int n = items / 2; n > 0; n /= 2) {
    if (i < n) shared[i] += shared[i + n];  // 1 of sum
    BARRIER();                              // of each step
  }
  __syncthreads();
  out[i] = shared[0];
}
/// A tile that is used again while others still read it.
__global__ void reuse(const float* in, float* out) {
  __shared__ float shared[items];
  const int i = threadIdx.x;
  float all = 0;
  for (int round = 0; round < 2; round++) {
    shared[i] = in[i] * (round + 1);  // 1 of reuse
    __syncthreads();
    all += shared[(i + 100) % items];  // 2 of reuse
    BARRIER();                         // before the next round
  }
  out[i] = all;
}
/// Two waves store to one place.
__global__ void both(const float* in, float* out) {
  __shared__ float shared[64];
  const int i = threadIdx.x;
  if (i < 64) shared[i] = in[i];                     // 1 of both
  BARRIER();                                         // between the stores
  if (i >= 128 && i < 192) shared[i - 128] = in[i];  // 2 of both
  __syncthreads();
  out[i] = shared[i % 64];
}
/// A value that one item has for all.
__global__ void broadcast(const float* in, float* out) {
  __shared__ float value;
  const int i = threadIdx.x;
  if (i == 200) value = in[7];  // 1 of broadcast
  BARRIER();                    // before all read it
  out[i] = in[i] + value;       // 2 of broadcast
}
/// Counts, by plain additions or atomics.
__global__ void histogram(const float* in, float* out) {
  __shared__ int bins[16];
  const int i = threadIdx.x;
  if (i < 16) bins[i] = 0;
  __syncthreads();
#ifdef FIXED
  atomicAdd(&bins[static_cast<int>(in[i]) % 16], 1);
#else
  bins[static_cast<int>(in[i]) % 16] += 1;  // 1 of histogram
#endif
  __syncthreads();
  out[i] = bins[i % 16];
}
/// A transposed tile.
__global__ void transpose(const float* in, float* out) {
  __shared__ float tile[16][17];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  tile[y][x] = in[threadIdx.x];   // 1 of transpose
  BARRIER();                      // before it is read by columns
  out[threadIdx.x] = tile[x][y];  // 2 of transpose
}
/// Neighbours of a stencil, which the waves at the edges share.
__global__ void stencil(const float* in, float* out) {
  __shared__ float shared[items + 2];
  const int i = threadIdx.x;
  shared[i + 1] = in[i];  // 1 of stencil
  if (i == 0) shared[0] = shared[items + 1] = 0;
  BARRIER();                                           // before neighbours are read
  out[i] = shared[i] + shared[i + 1] + shared[i + 2];  // 2 of stencil
}
/// Bytes of one dword belong to two waves; and those of the first one are read.
__global__ void bytes(const float* in, float* out) {
  __shared__ unsigned char shared[items];
  const int i = threadIdx.x;
  shared[i % 64 * 4 + i / 64] = static_cast<unsigned char>(in[i]);  // 1 of bytes
  BARRIER();           // before bytes of other waves are read
  out[i] = shared[i];  // 2 of bytes
}
/// A flag that is cleared where another wave still asks for it.
__global__ void flag(const float* in, float* out) {
  __shared__ int flag;
  const int i = threadIdx.x;
  if (i == 0) flag = 1;
  __syncthreads();
  const int seen = flag;   // 1 of flag
  BARRIER();               // before it is cleared
  if (i == 255) flag = 0;  // 2 of flag
  out[i] = in[i] + seen;
}

int main(int argc, char** argv) {
  const std::pair<const char*, void (*)(const float*, float*)> kernels[] = {
      {"handover", handover},   {"sum", sum},
      {"reuse", reuse},         {"both", both},
      {"broadcast", broadcast}, {"histogram", histogram},
      {"transpose", transpose}, {"stencil", stencil},
      {"bytes", bytes},         {"flag", flag}};
  float *in = nullptr, *out = nullptr;
  MUST(hipMalloc(&in, items * sizeof *in));
  MUST(hipMalloc(&out, items * sizeof *out));
  float host[items];
  for (int i = 0; i < items; i++) host[i] = static_cast<float>(i % 50);
  MUST(hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice));
  for (const auto& [name, kernel] : kernels)
    if (argc > 1 && !std::strcmp(argv[1], name)) kernel<<<3, items>>>(in, out);
  MUST(hipDeviceSynchronize());
}
