// gemm: either both A and B have factors, or none
#include "hipsight/kernels/fp8.h"
#include "hipsight/kernels/gemm/on_host.h"
using namespace hipsight::kernels;
bool run() {
  const RowMajor<const fp8_e4m3> a{};
  const ColumnMajor<const fp8_e4m3> b{};
#ifdef MISUSE
  return static_cast<bool>(gemm_on_host(scaled_rows(a, nullptr, 0), b, RowMajor<bf16>{}));
#else
  return static_cast<bool>(
      gemm_on_host(scaled_rows(a, nullptr, 0), scaled_blocks(b, nullptr, 0), RowMajor<bf16>{}));
#endif
}
