// A convolution in f16, or one of its gradients, for `hipsight predict`: square images and filters,
// padded so that the result has their size, or with a stride of 2 half of it.
//   kernels_convolution_launch result|images|filters IMAGES SIZE CHANNELS FILTERS TAPS STRIDE
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hipsight/kernels/convolution.h"

using namespace hipsight::kernels;

f16* allocate(std::size_t count) {
  void* data = nullptr;
  if (hipMalloc(&data, count * sizeof(f16)) != hipSuccess) std::exit(1);
  return static_cast<f16*>(data);
}

int main(int argc, char** argv) {
  const std::string of = argc > 1 ? argv[1] : "";
  const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 0; };
  const int images = number(2), size = number(3), channels = number(4), filters = number(5),
            taps = number(6), stride = number(7);
  if (images < 1 || size < 1 || taps < 1 || stride < 1) {
    std::fprintf(stderr,
                 "kernels_convolution_launch: result|images|filters IMAGES SIZE CHANNELS FILTERS "
                 "TAPS STRIDE\n");
    return 1;
  }
  const Convolved how{.stride = {stride, stride}, .padding = {taps / 2, taps / 2}};
  const int result = how.size_of_result(0, size, taps);
  const auto area = [&](int side) { return std::size_t(images) * side * side; };
  const Images<f16> x{allocate(area(size) * channels), images, size, size, channels};
  const Images<f16> y{allocate(area(result) * filters), images, result, result, filters};
  const Filters<f16> w{allocate(std::size_t(filters) * taps * taps * channels), filters, taps, taps,
                       channels};
  const auto run = [&]() -> Status {
    if (of == "result") return convolution(nullptr, x, w, y, how);
    if (of == "images") {
      const std::size_t count = elements_of(w);
      return convolution_of_images(nullptr, x, w, y, how,
                                   Workspace{allocate(count), count * sizeof(f16)});
    }
    if (of != "filters") return {"it is result, images or filters"};
    const std::size_t bytes = convolution_workspace(x, w, y, how);
    return convolution_of_filters(nullptr, x, w, y, how,
                                  Workspace{allocate(bytes / sizeof(f16) + 1), bytes});
  };
  const Status status = run();
  if (!status) std::fprintf(stderr, "%s\n", status.error.c_str());
  return status && hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
