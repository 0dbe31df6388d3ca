// Convolutions of networks in f16, and their gradients: how much of what the GPU can reach they are
// predicted to. That is the longer of the matrix units and of memory, all of it once; and the
// launch.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels.h"
#include "report.h"

namespace hipsight::bench {
namespace {

/// Square images and filters.
struct Layer {
  const char* name;
  long images, size, channels, filters, taps, stride;
};
constexpr Layer layers[] = {
    {"ResNet-50, 3 x 3 of 64 on 56", 64, 56, 64, 64, 3, 1},
    {"ResNet-50, 3 x 3 of 256 on 14", 64, 14, 256, 256, 3, 1},
    {"ResNet-50, 1 x 1, 512 to 1024, stride 2", 64, 28, 512, 1024, 1, 2},
    {"Stable Diffusion, 3 x 3 of 320 on 64", 16, 64, 320, 320, 3, 1},
    {"Stable Diffusion, 3 x 3 of 1280 on 16", 16, 16, 1280, 1280, 3, 1},
};

}  // namespace

void add_convolutions(const std::string& gpu, std::vector<Row>& rows) {
  const gpus::Gpu& known = gpus::find(gpu);
  for (const char* of : {"result", "images", "filters"})
    for (const Layer& l : layers) {
      const auto all =
          report("predict " + observed_of_gemm(l.filters, l.taps * l.taps * l.channels), gpu,
                 fmt::format("kernels_convolution_launch {} {} {} {} {} {} {}", of, l.images,
                             l.size, l.channels, l.filters, l.taps, l.stride));
      const KernelReport& kernel = first(all);
      const double seconds = predicted_seconds(all);  // filters are turned, too
      const double result = std::ceil(double(l.size) / l.stride),
                   pixels = double(l.images) * result * result;
      const double of_filters = double(l.filters) * l.taps * l.taps * l.channels;
      const double flop = 2 * pixels * of_filters;
      const double bytes =
          2 * (double(l.images * l.size * l.size * l.channels) + pixels * l.filters + of_filters);
      const double limit =
          std::max(flop / matrix_rate(known, "f16"), bytes / memory_bytes_per_second(known)) +
          launch_seconds(known);
      rows.push_back(of_limit(
          fmt::format("{}, {}, {}, {}", gpu, l.name,
                      std::string_view(of) == "result" ? of : "gradient of " + std::string(of),
                      kernel.prediction->bound.sentence),
          limit, seconds, {"TFLOPS", flop / seconds / 1e12}, kernel));
    }
}

}  // namespace hipsight::bench
