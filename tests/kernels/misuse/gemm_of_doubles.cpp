// gemm: A and B must be of f32, f16, bf16, fp8_e4m3 or fp8_e4m3_fnuz
#include "hipsight/kernels/gemm/on_host.h"

using namespace hipsight::kernels;

#ifdef MISUSE
using T = double;
#else
using T = float;
#endif

Status multiply(const T* a, const T* b, float* c) {
  return gemm_on_host(RowMajor<const T>{a, 4, 4, 4}, RowMajor<const T>{b, 4, 4, 4},
                      RowMajor<float>{c, 4, 4, 4});
}
