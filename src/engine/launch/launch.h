#pragma once

#include <chrono>

#include "engine/launch/pool.h"
#include "engine/launch/workgroup.h"

namespace hipsight::engine {

/// Runs all workgroups of a launch on the pool. @throws KernelError, the first one that was met.
Result run_launch(const Launch& launch, Pool& pool, std::chrono::milliseconds timeout,
                  std::uint64_t resident);

}  // namespace hipsight::engine
