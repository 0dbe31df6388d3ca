// Causal convolutions.
#include "causal_case.h"
#include "finish.h"
#include "hipsight/kernels/causal_convolution.h"

using namespace hipsight::kernels;

namespace {

template <int taps, class T>
std::string convolve(const CausalCase& t) {
  const auto data = [](const void* of) { return static_cast<const T*>(of); };
  const CausalConvolution<T> of{
      data(t.x), static_cast<T*>(t.y), data(t.weights), data(t.bias), data(t.before), t.batches,
      t.tokens,  t.channels,           t.x_stride,      t.y_stride,   t.silu};
  if (t.on_host) return causal_convolution_on_host<taps>(of).error;
  return finish(causal_convolution<taps>(nullptr, of));
}

}  // namespace

std::string causal_bf16(const CausalCase& test) {
  return convolve<4, bf16>(test);
}

std::string causal_f32(const CausalCase& test) {
  return convolve<3, float>(test);
}
