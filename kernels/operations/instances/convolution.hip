// Convolutions, or one of their gradients, of one type.
//   -DVALUE=f16 -DWHICH=result      (or images, filters)
#include "hipsight/kernels/convolution.h"
#include "may_add.h"
#include "tensors.h"

using namespace hipsight::kernels;

namespace {

template <class Value>
Images<Value> images(const hipsight_tensor* tensor) {
  const auto size = [&](int i) { return static_cast<int>(tensor->sizes[i]); };
  // Of one pixel, or one line, or one image, strides say nothing.
  const std::int64_t stride = size(2) > 1   ? tensor->strides[2]
                              : size(1) > 1 ? tensor->strides[1]
                              : size(0) > 1 ? tensor->strides[0]
                                            : size(3);
  return {data_of<Value>(tensor), size(0), size(1), size(2), size(3), static_cast<int>(stride)};
}
template <class Value>
Filters<Value> filters(const hipsight_tensor* tensor) {
  const auto size = [&](int i) { return static_cast<int>(tensor->sizes[i]); };
  return {data_of<Value>(tensor), size(0), size(1), size(2), size(3)};
}
Convolved convolved(const hipsight_convolution_options* given) {
  return {{given->stride[0], given->stride[1]},
          {given->padding[0], given->padding[1]},
          {given->dilation[0], given->dilation[1]},
          given->groups};
}

constexpr Convolution which = Convolution::WHICH;

}  // namespace

const char* hipsight_convolution([[maybe_unused]] const hipsight_context* context,
                                 [[maybe_unused]] const hipsight_tensor* x,
                                 [[maybe_unused]] const hipsight_tensor* w,
                                 [[maybe_unused]] const hipsight_tensor* bias,
                                 [[maybe_unused]] const hipsight_tensor* y,
                                 [[maybe_unused]] const hipsight_convolution_options* options) {
  if constexpr (which == Convolution::result) {
    const auto of_group = static_cast<int>(w->sizes[0]) / options->groups;
    return answer(convolution(stream_of(context), images<const VALUE>(x), filters<const VALUE>(w),
                              images<VALUE>(y), convolved(options),
                              MayAdd<VALUE>{data_of<const VALUE>(bias), of_group}));
  }
  return "not of this instance";
}

const char* hipsight_convolution_of_images(
    [[maybe_unused]] const hipsight_context* context, [[maybe_unused]] const hipsight_tensor* d_x,
    [[maybe_unused]] const hipsight_tensor* w, [[maybe_unused]] const hipsight_tensor* d_y,
    [[maybe_unused]] const hipsight_tensor* workspace,
    [[maybe_unused]] const hipsight_convolution_options* options) {
  if constexpr (which == Convolution::images)
    return answer(convolution_of_images(stream_of(context), images<VALUE>(d_x),
                                        filters<const VALUE>(w), images<const VALUE>(d_y),
                                        convolved(options), lent(workspace)));
  return "not of this instance";
}

const char* hipsight_convolution_of_filters(
    [[maybe_unused]] const hipsight_context* context, [[maybe_unused]] const hipsight_tensor* x,
    [[maybe_unused]] const hipsight_tensor* d_w, [[maybe_unused]] const hipsight_tensor* d_y,
    [[maybe_unused]] const hipsight_tensor* workspace,
    [[maybe_unused]] const hipsight_convolution_options* options) {
  if constexpr (which == Convolution::filters) {
    return answer(convolution_of_filters(stream_of(context), images<const VALUE>(x),
                                         filters<VALUE>(d_w), images<const VALUE>(d_y),
                                         convolved(options), lent(workspace)));
  }
  return "not of this instance";
}

const char* hipsight_convolution_workspace(
    const hipsight_context*, [[maybe_unused]] const hipsight_tensor* x,
    [[maybe_unused]] const hipsight_tensor* d_w, [[maybe_unused]] const hipsight_tensor* d_y,
    [[maybe_unused]] uint64_t* bytes,
    [[maybe_unused]] const hipsight_convolution_options* options) {
  if constexpr (which == Convolution::filters) {
    *bytes = convolution_workspace(images<const VALUE>(x), filters<VALUE>(d_w),
                                   images<const VALUE>(d_y), convolved(options));
    return nullptr;
  }
  return "not of this instance";
}
