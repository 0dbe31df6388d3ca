#pragma once

#include "runtime/front.h"

namespace hipsight::runtime {

/// The front that this thread's latest call came through; null where there was none.
const HipsightFront* front() noexcept;

/// The major version of HIP that the caller was made for: 5, 6 or 7.
int abi_version() noexcept;

}  // namespace hipsight::runtime
