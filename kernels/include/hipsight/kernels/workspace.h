// Memory that a caller lends an operation of several kernels.
#pragma once

#include <cstddef>

namespace hipsight::kernels {

/// Memory of the device for what comes between two kernels, or their workgroups; its content is
/// lost. For gemm() it must be zeros before the first call that it is lent to, and then be lent to
/// nothing else, as each call leaves counters in it at zero; see gemm_workspace().
struct Workspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};

}  // namespace hipsight::kernels
