// What the bench of the engine runs beside the examples' kernels. Sizes are multiples of the tiles:
// what is measured is the loop, not its edges.
#include <hip/hip_runtime.h>

#include "../../examples/matrix.h"
#include "hipsight/kernels/gemm/kernel.h"

// C = A * B, row-major, n x n: tiles of 16 x 16 in LDS, one element of C a thread.
extern "C" __global__ __launch_bounds__(256) void sgemm_16(int n, const float* __restrict__ a,
                                                           const float* __restrict__ b,
                                                           float* __restrict__ c) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    tile_a[y][x] = a[row * n + k0 + x];
    tile_b[y][x] = b[(k0 + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// The same with 128 x 128 tiles and 8 x 8 elements of C a thread.
extern "C" __global__ __launch_bounds__(256) void sgemm_8x8(int n, const float* __restrict__ a,
                                                            const float* __restrict__ b,
                                                            float* __restrict__ c) {
  constexpr int kTile = 128, kDepth = 8, kPart = 8, kThreads = 256;
  __shared__ __align__(16) float tile_a[kDepth][kTile + 4], tile_b[kDepth][kTile];
  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  const int part_row = thread / 16 * kPart, part_column = thread % 16 * kPart;
  float sum[kPart][kPart] = {};
  for (int k0 = 0; k0 < n; k0 += kDepth) {
#pragma unroll
    for (int i = 0; i < kTile * kDepth / kThreads; i++) {
      const int at = i * kThreads + thread;
      tile_a[at % kDepth][at / kDepth] = a[(row0 + at / kDepth) * n + k0 + at % kDepth];
      tile_b[at / kTile][at % kTile] = b[(k0 + at / kTile) * n + column0 + at % kTile];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; k++)
#pragma unroll
      for (int i = 0; i < kPart; i++)
#pragma unroll
        for (int j = 0; j < kPart; j++)
          sum[i][j] += tile_a[k][part_row + i] * tile_b[k][part_column + j];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kPart; i++)
#pragma unroll
    for (int j = 0; j < kPart; j++)
      c[(row0 + part_row + i) * n + column0 + part_column + j] = sum[i][j];
}

// --- matrix instructions ------------------------------------------------------------------------

// The examples' layouts (matrix.h) with bfloat16.
#if defined(__GFX11__)
using bf16x16 = short __attribute__((ext_vector_type(16)));
struct LargeMatrixBf16 : WmmaGfx11 {
  using Operand = bf16x16;
  static __device__ Result multiply_add(Operand a, Operand b, Result d) {
    return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, d);
  }
};
#else
using bf16x4 = short __attribute__((ext_vector_type(4)));
struct LargeMatrixBf16 : Mfma32x32x8 {
  using Operand = bf16x4;
  static __device__ Result multiply_add(Operand a, Operand b, Result d) {
    return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a, b, d, 0, 0, 0);
  }
};
#endif

// C = A * B^T, n x n, f32 results: four waves compute a 64 x 64 tile, each a quarter of it.
template <class Matrix, class Word>
__device__ void multiply(int n, const Word* __restrict__ a, const Word* __restrict__ b,
                         float* __restrict__ c) {
  constexpr int kTile = 64, kDepth = 32, kPad = 8, kPart = 32, kParts = kPart / Matrix::kSize;
  using Eight = Word __attribute__((ext_vector_type(8)));
  __shared__ __align__(16) Word tile_a[kTile][kDepth + kPad], tile_b[kTile][kDepth + kPad];
  const int thread = threadIdx.x, lane = thread % Matrix::kWave, wave = thread / Matrix::kWave;
  const int row0 = blockIdx.y * kTile, column0 = blockIdx.x * kTile;
  const int part_row = wave / 2 * kPart, part_column = wave % 2 * kPart;
  typename Matrix::Result sum[kParts][kParts] = {};
  for (int k0 = 0; k0 < n; k0 += kDepth) {
#pragma unroll
    for (int at = thread * 8; at < kTile * kDepth; at += 4 * Matrix::kWave * 8) {
      const int line = at / kDepth, depth = at % kDepth;
      *reinterpret_cast<Eight*>(&tile_a[line][depth]) =
          *reinterpret_cast<const Eight*>(&a[(row0 + line) * n + k0 + depth]);
      *reinterpret_cast<Eight*>(&tile_b[line][depth]) =
          *reinterpret_cast<const Eight*>(&b[(column0 + line) * n + k0 + depth]);
    }
    __syncthreads();
#pragma unroll
    for (int depth = 0; depth < kDepth; depth += Matrix::kDepth) {
      const int from = depth + Matrix::first_depth(lane);
      typename Matrix::Operand part_a[kParts], part_b[kParts];
      for (int i = 0; i < kParts; i++) {
        const int line = i * Matrix::kSize + lane % Matrix::kSize;
        __builtin_memcpy(&part_a[i], &tile_a[part_row + line][from], sizeof part_a[i]);
        __builtin_memcpy(&part_b[i], &tile_b[part_column + line][from], sizeof part_b[i]);
      }
      for (int i = 0; i < kParts; i++)
        for (int j = 0; j < kParts; j++)
          sum[i][j] = Matrix::multiply_add(part_a[i], part_b[j], sum[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kParts; i++)
    for (int j = 0; j < kParts; j++)
      for (int r = 0; r < Matrix::kResults; r++)
        c[(row0 + part_row + i * Matrix::kSize + Matrix::row(lane, r)) * n + column0 + part_column +
          j * Matrix::kSize + lane % Matrix::kSize] = sum[i][j][r];
}

extern "C" __global__ __launch_bounds__(4 * LargeMatrix::kWave) void gemm_f16(int n, const f16* a,
                                                                              const f16* b,
                                                                              float* c) {
  multiply<LargeMatrix>(n, a, b, c);
}
extern "C" __global__ __launch_bounds__(4 * LargeMatrix::kWave) void gemm_bf16(int n,
                                                                               const short* a,
                                                                               const short* b,
                                                                               float* c) {
  multiply<LargeMatrixBf16>(n, a, b, c);
}

// The kernel library's, as it is for large matrices: C = A * B^T, n x n, f32 results.
namespace library {
using namespace hipsight::kernels;
using Gemm = GemmWorkgroup<bf16, Order::row_major, Order::column_major, float, Identity, NoScales,
                           TileSize::large>;

extern "C" __global__ __launch_bounds__(Gemm::threads) void gemm_library(int n, TileOrder tiles,
                                                                         const bf16* a,
                                                                         const bf16* b, float* c) {
  __shared__ Gemm::Shared shared;
  Gemm::run<false>(
      {{a, n, n, n, true}, {b, n, n, n, true}, {c, n, n, n, true}, 0, 0, 0, tiles, {}, {}, {}},
      shared, static_cast<int>(blockIdx.x), 0, 0);
}
}  // namespace library

// --- memory
// ---------------------------------------------------------------------------------------

extern "C" __global__ __launch_bounds__(256) void copy(const float4* __restrict__ from,
                                                       float4* __restrict__ to) {
  const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
  to[i] = from[i];
}

extern "C" __global__ __launch_bounds__(256) void saxpy(float a, const float* __restrict__ x,
                                                        float* __restrict__ y) {
  const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
  y[i] = a * x[i] + y[i];
}

extern "C" __global__ __launch_bounds__(256) void saxpy_exp(float a, const float* __restrict__ x,
                                                            const float* __restrict__ y,
                                                            float* __restrict__ z) {
  const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
  z[i] = a * x[i] + expf(y[i]);
}

extern "C" __global__ __launch_bounds__(256) void gather(const int* __restrict__ index,
                                                         const float* __restrict__ table,
                                                         float* __restrict__ to) {
  const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
  to[i] = table[index[i]];
}

// Atomics that many work-items send to few addresses at once.
extern "C" __global__ __launch_bounds__(256) void histogram_global(
    const unsigned* __restrict__ words, unsigned* counts) {
  const unsigned word = words[size_t(blockIdx.x) * 256 + threadIdx.x];
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) atomicAdd(&counts[word >> shift & 255], 1u);
}

// --- divergence
// -----------------------------------------------------------------------------------

// Steps until z leaves the circle of radius 2, for width x height points of [-2, 1] x [-1.5, 1.5].
extern "C" __global__ __launch_bounds__(256) void mandelbrot(int width, float step, int most,
                                                             int* __restrict__ steps) {
#pragma clang fp contract(off)
  const int at = blockIdx.x * 256 + threadIdx.x;
  const float cx = fmaf(float(at % width), step, -2.0f);
  const float cy = fmaf(float(at / width), step, -1.5f);
  float x = 0, y = 0;
  int i = 0;
  while (i < most) {
    const float xx = x * x, yy = y * y;
    if (xx + yy > 4) break;
    y = fmaf(2 * x, y, cy);
    x = (xx - yy) + cx;
    i++;
  }
  steps[at] = i;
}
