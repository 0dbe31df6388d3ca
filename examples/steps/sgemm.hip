// docs/tutorials/sgemm.md: C = A B of square matrices of floats in five steps, from naive to fast.
//   sgemm_steps [N]: a multiple of 64
#include "common.h"

constexpr int kThreads = 256;

// 0: a thread takes an element.
__global__ __launch_bounds__(kThreads) void by_thread(int n, const float* __restrict__ a,
                                                      const float* __restrict__ b,
                                                      float* __restrict__ c) {
  const int column = blockIdx.x * 16 + threadIdx.x % 16, row = blockIdx.y * 16 + threadIdx.x / 16;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// 1: a workgroup shares tiles of 16 x 16 in LDS.
__global__ __launch_bounds__(kThreads) void in_lds(int n, const float* __restrict__ a,
                                                   const float* __restrict__ b,
                                                   float* __restrict__ c) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    tile_a[y][x] = a[row * n + k + x];
    tile_b[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// Tiles of 64 x 64, of which a thread has 4 x 4 elements. Rows may be longer than 64.
template <int kPadding>
struct Tiles {
  float a[16][64 + kPadding], b[16][64];  // by k
};

template <int kPadding>
__device__ void multiply(const Tiles<kPadding>& tiles, int x, int y, float (&sum)[4][4]) {
  for (int k = 0; k < 16; ++k) {
    const float4 a = *reinterpret_cast<const float4*>(&tiles.a[k][y * 4]);
    const float4 b = *reinterpret_cast<const float4*>(&tiles.b[k][x * 4]);
    const float of_a[4] = {a.x, a.y, a.z, a.w}, of_b[4] = {b.x, b.y, b.z, b.w};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) sum[i][j] += of_a[i] * of_b[j];
  }
}

__device__ void store(int n, float* c, int x, int y, const float (&sum)[4][4]) {
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(&c[(blockIdx.y * 64 + y * 4 + i) * n + blockIdx.x * 64 + x * 4]) =
        make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}

// 2: a thread has 16 elements: of two loads from LDS it makes 16 products.
__global__ __launch_bounds__(kThreads) void in_registers(int n, const float* __restrict__ a,
                                                         const float* __restrict__ b,
                                                         float* __restrict__ c) {
  __shared__ Tiles<0> tiles;
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const int row = threadIdx.x / 4, of_row = threadIdx.x % 4 * 4;
  a += (blockIdx.y * 64 + row) * n + of_row;
  b += y * n + blockIdx.x * 64 + x * 4;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    const float4 from_a = *reinterpret_cast<const float4*>(a + k);
    const float4 from_b = *reinterpret_cast<const float4*>(b + k * n);
    tiles.a[of_row][row] = from_a.x, tiles.a[of_row + 1][row] = from_a.y;
    tiles.a[of_row + 2][row] = from_a.z, tiles.a[of_row + 3][row] = from_a.w;
    *reinterpret_cast<float4*>(&tiles.b[y][x * 4]) = from_b;
    __syncthreads();
    multiply(tiles, x, y, sum);
    __syncthreads();
  }
  store(n, c, x, y, sum);
}

// 3: the next tiles are on their way while this one is multiplied.
// 4: rows of LDS are padded.
template <int kPadding>
__global__ __launch_bounds__(kThreads) void ahead(int n, const float* __restrict__ a,
                                                  const float* __restrict__ b,
                                                  float* __restrict__ c) {
  __shared__ Tiles<kPadding> tiles[2];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  const int row = threadIdx.x / 4, of_row = threadIdx.x % 4 * 4;
  a += (blockIdx.y * 64 + row) * n + of_row;
  b += y * n + blockIdx.x * 64 + x * 4;
  float sum[4][4] = {};
  float4 from_a = *reinterpret_cast<const float4*>(a);
  float4 from_b = *reinterpret_cast<const float4*>(b);
  for (int k = 0; k < n; k += 16) {
    Tiles<kPadding>& now = tiles[k / 16 % 2];
    now.a[of_row][row] = from_a.x, now.a[of_row + 1][row] = from_a.y;
    now.a[of_row + 2][row] = from_a.z, now.a[of_row + 3][row] = from_a.w;
    *reinterpret_cast<float4*>(&now.b[y][x * 4]) = from_b;
    if (k + 16 < n) {
      from_a = *reinterpret_cast<const float4*>(a + k + 16);
      from_b = *reinterpret_cast<const float4*>(b + (k + 16) * n);
    }
    __syncthreads();
    multiply(now, x, y, sum);
  }
  store(n, c, x, y, sum);
}

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 1024);
  if (n % 64) return std::fprintf(stderr, "sgemm_steps: %d is no multiple of 64\n", n), 1;
  const auto a = random_values<float>(size_t(n) * n, 1), b = random_values<float>(size_t(n) * n, 2);
  DeviceArray<float> device_a(a), device_b(b), device_c(a.size());
  const auto launch = [&](auto kernel, int tile, const char* name) {
    kernel<<<dim3(n / tile, n / tile), kThreads>>>(n, device_a.data(), device_b.data(),
                                                   device_c.data());
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    const auto c = device_c.to_host();
    Comparison comparison;
    for (size_t at = 0; at < c.size(); at += 997) {
      const size_t row = at / n, column = at % n;
      double want = 0, size = 0;
      for (int k = 0; k < n; ++k) {
        const double product = double(a[row * n + k]) * b[k * n + column];
        want += product, size += std::fabs(product);
      }
      comparison.add(c[at], want, n * std::ldexp(size, -24));
    }
    return comparison.report(name, "K 2^-24 sum |a b|");
  };
  return launch(by_thread, 16, "by_thread") | launch(in_lds, 16, "in_lds") |
         launch(in_registers, 64, "in_registers") | launch(ahead<0>, 64, "ahead") |
         launch(ahead<4>, 64, "ahead, padded");
}
