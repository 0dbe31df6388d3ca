// C = A * B^T in bf16 by the kernel library, with the tiling that HIPSIGHT_GEMM_TILING names: what
// `hipsight tune` runs to find the best one for a shape (docs/kernels/gemm.md).
//   tilings [M [N [K]]]
#include "common.h"
#include "hipsight/kernels/gemm.h"

using namespace hipsight::kernels;

int main(int count, char** words) {
  const auto size = [&](int i) { return count > i ? std::atoi(words[i]) : 4096; };
  const int m = size(1), n = count > 2 ? size(2) : m, k = count > 3 ? size(3) : m;
  bf16 *a = nullptr, *b = nullptr, *c = nullptr;
  HIP_CHECK(hipMalloc(&a, sizeof(bf16) * m * k));
  HIP_CHECK(hipMalloc(&b, sizeof(bf16) * n * k));
  HIP_CHECK(hipMalloc(&c, sizeof(bf16) * m * n));
  hipEvent_t begin, end;
  HIP_CHECK(hipEventCreate(&begin));
  HIP_CHECK(hipEventCreate(&end));
  HIP_CHECK(hipEventRecord(begin));
  const Status status =
      gemm<TileSize::large>(nullptr, RowMajor<const bf16>{a, m, k, k},
                            ColumnMajor<const bf16>{b, k, n, k}, RowMajor<bf16>{c, m, n, n});
  if (!status) {
    std::fprintf(stderr, "%s\n", status.error.c_str());
    return 1;
  }
  HIP_CHECK(hipEventRecord(end));
  HIP_CHECK(hipEventSynchronize(end));
  float ms = 0;
  HIP_CHECK(hipEventElapsedTime(&ms, begin, end));
  std::printf("%d x %d x %d: %.3f ms, %.0f TFLOP/s\n", m, n, k, double(ms),
              2.0 * m * n * k / double(ms) * 1e-9);
}
