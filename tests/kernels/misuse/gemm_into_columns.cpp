// gemm: C must be row_major; a column_major C is the transpose of gemm(B^T, A^T)
#include "hipsight/kernels/gemm/on_host.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using Result = ColumnMajor<f16>;
#else
using Result = RowMajor<f16>;
#endif
bool run() {
  return static_cast<bool>(gemm_on_host(RowMajor<f16>{}, RowMajor<f16>{}, Result{}));
}
