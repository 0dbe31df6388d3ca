#include "engine/native.h"

#include <atomic>
#include <cmath>
#include <cstring>

namespace hipsight::bench::native {

void sgemm_16(int n, const float* a, const float* b, float* c) {
  constexpr int tile = 16;
  for (int row0 = 0; row0 < n; row0 += tile)
    for (int column0 = 0; column0 < n; column0 += tile) {
      float tile_a[tile][tile], tile_b[tile][tile], sum[tile][tile] = {};
      for (int k0 = 0; k0 < n; k0 += tile) {
        for (int y = 0; y < tile; ++y)
          for (int x = 0; x < tile; ++x) {
            tile_a[y][x] = a[(row0 + y) * n + k0 + x];
            tile_b[y][x] = b[(k0 + y) * n + column0 + x];
          }
        for (int y = 0; y < tile; ++y)
          for (int k = 0; k < tile; ++k)
            for (int x = 0; x < tile; ++x) sum[y][x] += tile_a[y][k] * tile_b[k][x];
      }
      for (int y = 0; y < tile; ++y)
        for (int x = 0; x < tile; ++x) c[(row0 + y) * n + column0 + x] = sum[y][x];
    }
}

namespace {

/// 16 x 16 work-items, each with `part` x `part` sums.
template <int part, int depth>
void sgemm_parts(int n, const float* a, const float* b, float* c) {
  constexpr int tile = 16 * part, threads = 256;
  for (int row0 = 0; row0 < n; row0 += tile)
    for (int column0 = 0; column0 < n; column0 += tile) {
      float tile_a[depth][tile + 4], tile_b[depth][tile];
      alignas(64) float sums[threads][part][part] = {};
      for (int k0 = 0; k0 < n; k0 += depth) {
        for (int at = 0; at < tile * depth; ++at) {
          tile_a[at % depth][at / depth] = a[(row0 + at / depth) * n + k0 + at % depth];
          tile_b[at / tile][at % tile] = b[(k0 + at / tile) * n + column0 + at % tile];
        }
        for (int thread = 0; thread < threads; ++thread) {
          const int part_row = thread / 16 * part, part_column = thread % 16 * part;
          float sum[part][part];
          std::memcpy(sum, sums[thread], sizeof sum);
          for (int k = 0; k < depth; ++k)
            for (int i = 0; i < part; ++i)
              for (int j = 0; j < part; ++j)
                sum[i][j] += tile_a[k][part_row + i] * tile_b[k][part_column + j];
          std::memcpy(sums[thread], sum, sizeof sum);
        }
      }
      for (int thread = 0; thread < threads; ++thread)
        for (int i = 0; i < part; ++i)
          for (int j = 0; j < part; ++j)
            c[(row0 + thread / 16 * part + i) * n + column0 + thread % 16 * part + j] =
                sums[thread][i][j];
    }
}

}  // namespace

void sgemm_4x4(int n, const float* a, const float* b, float* c) {
  sgemm_parts<4, 16>(n, a, b, c);
}
void sgemm_8x8(int n, const float* a, const float* b, float* c) {
  sgemm_parts<8, 8>(n, a, b, c);
}

void copy(std::size_t n, const float* from, float* to) {
  std::memcpy(to, from, n * sizeof *to);
}
void saxpy(std::size_t n, float a, const float* __restrict x, float* __restrict y) {
  for (std::size_t i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}
void saxpy_exp(std::size_t n, float a, const float* __restrict x, const float* __restrict y,
               float* __restrict z) {
  for (std::size_t i = 0; i < n; ++i) z[i] = a * x[i] + std::exp(y[i]);
}
void gather(std::size_t n, const int* __restrict index, const float* __restrict table,
            float* __restrict to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = table[index[i]];
}

void histogram(std::size_t n, const unsigned char* bytes, unsigned* counts) {
  constexpr std::size_t groups = 256;
  for (std::size_t group = 0; group < groups; ++group) {
    unsigned mine[256] = {};
    for (std::size_t i = n * group / groups; i < n * (group + 1) / groups; ++i) ++mine[bytes[i]];
    for (int bin = 0; bin < 256; ++bin)
      std::atomic_ref(counts[bin]).fetch_add(mine[bin], std::memory_order_relaxed);
  }
}
void histogram_global(std::size_t n, const unsigned char* bytes, unsigned* counts) {
  for (std::size_t i = 0; i < n; ++i)
    std::atomic_ref(counts[bytes[i]]).fetch_add(1, std::memory_order_relaxed);
}

void mandelbrot(int width, int height, float step, int most, int* steps) {
#pragma clang fp contract(off)  // as on the GPU: the same number of steps
  for (int at = 0; at < width * height; ++at) {
    const int column = at % width, row = at / width;
    const float cx = std::fma(static_cast<float>(column), step, -2.0f);
    const float cy = std::fma(static_cast<float>(row), step, -1.5f);
    float x = 0, y = 0;
    int i = 0;
    while (i < most) {
      const float xx = x * x, yy = y * y;
      if (xx + yy > 4) break;
      y = std::fma(2 * x, y, cy);
      x = (xx - yy) + cx;
      ++i;
    }
    steps[at] = i;
  }
}

double fma_in_registers(int steps) {
#ifdef __AVX512F__
  constexpr int chains = 192;
#else
  constexpr int chains = 96;  // fills the pipelines, and still fits into sixteen registers
#endif
  float sum[chains];
  for (int i = 0; i < chains; ++i) sum[i] = static_cast<float>(i);
  for (int s = 0; s < steps; ++s)
    for (float& value : sum) value = std::fma(value, 0.999f, 0.001f);
  volatile float total = 0;
  for (const float value : sum) total = total + value;
  return 2.0 * chains * steps;
}

}  // namespace hipsight::bench::native
