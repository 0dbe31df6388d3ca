// gemm: an epilogue must be callable as float(float value, ResultPlace at) const
#include "hipsight/kernels/gemm/on_host.h"
using namespace hipsight::kernels;
struct Double {
#ifdef MISUSE
  float operator()(float value) const { return 2 * value; }
#else
  float operator()(float value, ResultPlace) const { return 2 * value; }
#endif
};
bool run() {
  return static_cast<bool>(
      gemm_on_host(RowMajor<f16>{}, RowMajor<f16>{}, RowMajor<f16>{}, Double{}));
}
