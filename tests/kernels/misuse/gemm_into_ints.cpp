// gemm: C must be of f32, f16, bf16, fp8_e4m3, fp8_e4m3_fnuz or std::int8_t
#include "hipsight/kernels/gemm/on_host.h"

using namespace hipsight::kernels;

#ifdef MISUSE
using T = int;
#else
using T = std::int8_t;
#endif

Status multiply(const float* a, const float* b, T* c) {
  return gemm_on_host(RowMajor<const float>{a, 4, 4, 4}, RowMajor<const float>{b, 4, 4, 4},
                      RowMajor<T>{c, 4, 4, 4});
}
