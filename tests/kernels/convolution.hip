// Convolutions and their gradients.
#include "convolution_case.h"
#include "every_instance.h"
#include "finish.h"
#include "hipsight/kernels/convolution.h"
#include "hipsight/kernels/convolution/on_host.h"

using namespace hipsight::kernels;

namespace {

constexpr const char* no_such_kernel = "no such kernel here";

template <class T>
Images<T> images_of(const ConvolutionCase& t, void* data) {
  return {static_cast<T*>(data), t.images, t.height, t.width, t.channels, t.image_stride};
}
template <class T>
Images<T> result_of(const ConvolutionCase& t, void* data) {
  return {static_cast<T*>(data), t.images,  t.size_of_result(0),
          t.size_of_result(1),   t.filters, t.result_stride};
}
template <class T>
Filters<T> filters_of(const ConvolutionCase& t, void* data) {
  return {static_cast<T*>(data), t.filters, t.taps[0], t.taps[1], t.deep()};
}
Convolved how_of(const ConvolutionCase& t) {
  return {{t.stride[0], t.stride[1]},
          {t.padding[0], t.padding[1]},
          {t.dilation[0], t.dilation[1]},
          t.groups};
}

/// A workspace. One of no bytes is none.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : bytes_(bytes) {
    if (bytes && hipMalloc(&data_, bytes) != hipSuccess) bytes_ = 0;
  }
  ~Memory() { (void)hipFree(data_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  Workspace lent() const { return {data_, bytes_}; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace

std::string run_convolution_f16(const ConvolutionCase& t, void* images, void* filters,
                                void* result) {
  const Convolved how = how_of(t);
  const auto large = ConvolutionSize::large, medium = ConvolutionSize::medium,
             small = ConvolutionSize::small;
  if (t.of == ConvolutionOf::result) {
    const auto x = images_of<const f16>(t, images);
    const auto w = filters_of<const f16>(t, filters);
    const auto y = result_of<f16>(t, result);
    if (t.on_host) return convolution_on_host<Convolution::result>(x, w, y, how).error;
    if (t.tiles == large) return finish(convolution<TileSize::large>(nullptr, x, w, y, how));
    if (t.tiles == medium) return finish(convolution<TileSize::medium>(nullptr, x, w, y, how));
    return finish(convolution<TileSize::small>(nullptr, x, w, y, how));
  }
  if (t.tiles != small) return no_such_kernel;
  const auto dy = result_of<const f16>(t, result);
  if (t.of == ConvolutionOf::images) {
    const auto dx = images_of<f16>(t, images);
    const auto w = filters_of<const f16>(t, filters);
    if (t.on_host) return convolution_on_host<Convolution::images>(dx, w, dy, how).error;
    const Memory turned(elements_of(w) * sizeof(f16));
    return finish(convolution_of_images<TileSize::small>(nullptr, dx, w, dy, how, turned.lent()));
  }
  const auto x = images_of<const f16>(t, images);
  const auto dw = filters_of<f16>(t, filters);
  if (t.on_host) return convolution_on_host<Convolution::filters>(x, dw, dy, how).error;
  const Memory shared(t.shared_depth ? convolution_workspace<TileSize::small>(x, dw, dy, how) : 0);
  return finish(convolution_of_filters<TileSize::small>(nullptr, x, dw, dy, how, shared.lent()));
}

std::string run_convolution_bf16(const ConvolutionCase& t, const void* images, const void* filters,
                                 void* result, const float* biases) {
  if (t.of != ConvolutionOf::result || t.tiles != ConvolutionSize::small) return no_such_kernel;
  const auto x = images_of<const bf16>(t, const_cast<void*>(images));
  const auto w = filters_of<const bf16>(t, const_cast<void*>(filters));
  const auto y = result_of<bf16>(t, result);
  const auto after = PerBatch(Bias(biases), t.filters / t.groups) | Relu{};
  if (t.on_host) return convolution_on_host<Convolution::result>(x, w, y, how_of(t), after).error;
  return finish(convolution<TileSize::small>(nullptr, x, w, y, how_of(t), after));
}
