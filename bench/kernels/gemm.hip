// One GEMM of the kernel library, in bf16 with the weights in memory N x K, for `hipsight predict`.
//   kernels_gemm_launch M N K [large | medium | small]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hipsight/kernels/gemm.h"

using namespace hipsight::kernels;

int main(int argc, char** argv) {
  const int m = argc > 3 ? std::atoi(argv[1]) : 0;
  const int n = argc > 3 ? std::atoi(argv[2]) : 0;
  const int k = argc > 3 ? std::atoi(argv[3]) : 0;
  const auto allocate = [](int rows, int columns) {
    void* data = nullptr;
    if (hipMalloc(&data, sizeof(bf16) * rows * columns) != hipSuccess) std::exit(1);
    return static_cast<bf16*>(data);
  };
  const RowMajor<const bf16> a{allocate(m, k), m, k, k};
  const ColumnMajor<const bf16> b{allocate(n, k), k, n, k};
  const RowMajor<bf16> c{allocate(m, n), m, n, n};
  const std::string size = argc > 4 ? argv[4] : "";
  Workspace workspace{nullptr, gemm_workspace(a, b, c)};
  if (workspace.bytes && hipMalloc(&workspace.data, workspace.bytes) != hipSuccess) return 1;
  const auto problem = gemm_problem(a, b, c, Identity{}, 1);
  const Architecture on = current_device().architecture;
  const Status status = size == "large"    ? launch_gemm<TileSize::large>(nullptr, problem, on)
                        : size == "medium" ? launch_gemm<TileSize::medium>(nullptr, problem, on)
                        : size == "small"  ? launch_gemm<TileSize::small>(nullptr, problem, on)
                                           : gemm(nullptr, a, b, c, Identity{}, 1, workspace);
  if (!status) std::fprintf(stderr, "%s\n", status.error.c_str());
  return status && hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
