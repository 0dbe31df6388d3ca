// How many workgroups a launch has.
#pragma once

#include <cstdint>

namespace hipsight::kernels {

struct Grid {
  std::int64_t x, y = 1, z = 1;
};

}  // namespace hipsight::kernels
