// Memory that a caller lends an operation of several kernels.
#pragma once

#include <cstddef>

namespace hipsight::kernels {

/// Memory of the device for what comes between two kernels; its content is lost.
struct Workspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};

}  // namespace hipsight::kernels
