// gemm: A and B must have elements of the same type
#include "hipsight/kernels/gemm/on_host.h"
using namespace hipsight::kernels;
#ifdef MISUSE
using Other = bf16;
#else
using Other = f16;
#endif
bool run() {
  return static_cast<bool>(gemm_on_host(RowMajor<f16>{}, RowMajor<Other>{}, RowMajor<f16>{}));
}
