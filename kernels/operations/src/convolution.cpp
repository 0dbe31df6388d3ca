// Convolutions.
#include "call.h"

using namespace hipsight::operations;

namespace {

using Tensor = const hipsight_tensor*;
using ConvolutionOptions = const hipsight_convolution_options*;

/// n h w c: pixels may have gaps between them, and nothing else.
void require_images(Call& call, Tensor tensor) {
  call.by_rows({tensor});
  const auto& sizes = tensor->sizes;
  const auto& strides = tensor->strides;
  const bool dense =
      (sizes[1] <= 1 || sizes[2] <= 1 || strides[1] == sizes[2] * strides[2]) &&
      (sizes[0] <= 1 || sizes[1] <= 1 || strides[0] == sizes[1] * strides[1]) &&
      (sizes[0] <= 1 || sizes[1] > 1 || sizes[2] <= 1 || strides[0] == sizes[2] * strides[2]);
  call.require(dense, "the lines of images, and images, must lie without gaps");
}

void require_all(Call& call, Tensor x, Tensor w, Tensor y, ConvolutionOptions options) {
  call.takes("x", x, {4}, computed).takes("w", w, {4}, computed).takes("y", y, {4}, computed);
  call.same_type({x, w, y}).without_gaps({w});
  require_images(call, x);
  require_images(call, y);
  call.require(options && options->groups > 0, "there are no options, or no groups");
}

Instance instance(Tensor x, const char* which) {
  return {"convolution", {std::string("VALUE=") + name_of(x->type), std::string("WHICH=") + which}};
}

}  // namespace

const char* hipsight_convolution(const hipsight_context* context, Tensor x, Tensor w, Tensor bias,
                                 Tensor y, ConvolutionOptions options) {
  return guarded([&]() -> const char* {
    Call call("convolution", context);
    require_all(call, x, w, y, options);
    call.may_take("bias", bias, {1}, computed).same_type({x, bias}).without_gaps({bias});
    call.require(!bias || bias->sizes[0] == w->sizes[0], "bias must have a number for each filter");
    return call.run(instance(x, "result"), hipsight_convolution, "hipsight_convolution", x, w, bias,
                    y, options);
  });
}

const char* hipsight_convolution_of_images(const hipsight_context* context, Tensor d_x, Tensor w,
                                           Tensor d_y, Tensor workspace,
                                           ConvolutionOptions options) {
  return guarded([&]() -> const char* {
    Call call("convolution_of_images", context);
    require_all(call, d_x, w, d_y, options);
    call.takes("workspace", workspace, {1}, {HIPSIGHT_I8}).without_gaps({workspace});
    return call.run(instance(d_x, "images"), hipsight_convolution_of_images,
                    "hipsight_convolution_of_images", d_x, w, d_y, workspace, options);
  });
}

const char* hipsight_convolution_of_filters(const hipsight_context* context, Tensor x, Tensor d_w,
                                            Tensor d_y, Tensor workspace,
                                            ConvolutionOptions options) {
  return guarded([&]() -> const char* {
    Call call("convolution_of_filters", context);
    require_all(call, x, d_w, d_y, options);
    call.may_take("workspace", workspace, {1}, {HIPSIGHT_I8}).without_gaps({workspace});
    return call.run(instance(x, "filters"), hipsight_convolution_of_filters,
                    "hipsight_convolution_of_filters", x, d_w, d_y, workspace, options);
  });
}

const char* hipsight_convolution_workspace(const hipsight_context* context, Tensor x, Tensor d_w,
                                           Tensor d_y, uint64_t* bytes,
                                           ConvolutionOptions options) {
  return guarded([&]() -> const char* {
    Call call("convolution_workspace", context);
    require_all(call, x, d_w, d_y, options);
    return call.run(instance(x, "filters"), hipsight_convolution_workspace,
                    "hipsight_convolution_workspace", x, d_w, d_y, bytes, options);
  });
}

const char* hipsight_causal_convolution(const hipsight_context* context, Tensor x, Tensor w,
                                        Tensor bias, Tensor before, Tensor y, int silu) {
  return guarded([&]() -> const char* {
    Call call("causal_convolution", context);
    call.takes("x", x, {3}, computed).takes("w", w, {2}, computed).takes("y", y, {3}, computed);
    call.may_take("bias", bias, {1}, computed).may_take("before", before, {3}, computed);
    call.same_type({x, w, bias, before, y}).same_sizes({x, y}).by_rows({x, y});
    call.without_gaps({w, bias, before});
    const int64_t channels = x->sizes[2], taps = w->sizes[1];
    call.require(taps >= 2 && taps <= 8, "filters must have 2 to 8 taps")
        .require(w->sizes[0] == channels && (!bias || bias->sizes[0] == channels),
                 "w and bias must have a filter and a number for each channel");
    call.require(!before || (before->sizes[0] == x->sizes[0] && before->sizes[1] == taps - 1 &&
                             before->sizes[2] == channels),
                 "before must be sequences x (taps - 1) x channels");
    for (Tensor of : {x, y})
      call.require(
          of->sizes[0] <= 1 || of->sizes[1] <= 1 || of->strides[0] == of->sizes[1] * of->strides[1],
          "sequences must lie without gaps");
    return call.run({"causal_convolution",
                     {std::string("VALUE=") + name_of(x->type), "TAPS=" + std::to_string(taps)}},
                    hipsight_causal_convolution, "hipsight_causal_convolution", x, w, bias, before,
                    y, silu);
  });
}
