// Memory that a caller lends an operation of several kernels.
#pragma once

#include <cstddef>

namespace hipsight::kernels {

/// Memory of the device for what comes between two kernels, or their workgroups; its content is
/// lost. Calls that may run at the same time must not share it.
struct Workspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};

}  // namespace hipsight::kernels
