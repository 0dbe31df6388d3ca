// Causal convolutions of one type, with filters of so many taps.
//   -DVALUE=bf16 -DTAPS=4
#include "hipsight/kernels/causal_convolution.h"
#include "tensors.h"

using namespace hipsight::kernels;

const char* hipsight_causal_convolution(const hipsight_context* context, const hipsight_tensor* x,
                                        const hipsight_tensor* w, const hipsight_tensor* bias,
                                        const hipsight_tensor* before, const hipsight_tensor* y,
                                        int silu) {
  const auto channels = static_cast<int>(x->sizes[2]);
  // Of one token, it is from sequence to sequence.
  const auto stride = [&](const hipsight_tensor* of) {
    return stride_of(*of, 1, stride_of(*of, 0, channels));
  };
  return answer(causal_convolution<TAPS>(
      stream_of(context),
      CausalConvolution<VALUE>{data_of<const VALUE>(x), data_of<VALUE>(y), data_of<const VALUE>(w),
                               data_of<const VALUE>(bias), data_of<const VALUE>(before),
                               static_cast<int>(x->sizes[0]), static_cast<int>(x->sizes[1]),
                               channels, stride(x), stride(y), silu != 0}));
}
