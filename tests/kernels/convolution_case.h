// One convolution to test, without templates: what convolution_test.cpp asks of the program that
// holds the kernels.
#pragma once

#include <cstddef>
#include <string>

enum class ConvolutionOf { result, images, filters };
/// As hipsight::kernels::TileSize.
enum class ConvolutionSize { large, medium, small };

/// Pairs are {high, wide}. A stride of 0: no gaps between pixels.
struct ConvolutionCase {
  bool on_host = false;  // on the scalar reference
  ConvolutionOf of = ConvolutionOf::result;
  ConvolutionSize tiles = ConvolutionSize::small;
  int images = 1, height = 1, width = 1, channels = 1;
  int filters = 1, taps[2] = {1, 1};
  int stride[2] = {1, 1}, padding[2] = {0, 0}, dilation[2] = {1, 1}, groups = 1;
  int image_stride = 0, result_stride = 0;
  bool shared_depth = false;  // the filters' gradient: with a workspace

  int deep() const { return channels / groups; }
  int size_of_result(int axis) const {
    const int size = axis ? width : height;
    return (size + 2 * padding[axis] - dilation[axis] * (taps[axis] - 1) - 1) / stride[axis] + 1;
  }
};

/// Runs it on memory that host and device see; returns the library's error, or "no such kernel
/// here". f16: all three, as they are. bf16: the result in small tiles, then a bias for each filter
/// of a group, and no less than 0.
std::string run_convolution_f16(const ConvolutionCase&, void* images, void* filters, void* result);
std::string run_convolution_bf16(const ConvolutionCase&, const void* images, const void* filters,
                                 void* result, const float* biases);
