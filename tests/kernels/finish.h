// What became of a launch.
#pragma once

#include <hip/hip_runtime_api.h>

#include <string>

#include "hipsight/kernels/status.h"

namespace hipsight::kernels {

/// The error of a launch, or of what it ran.
inline std::string finish(const Status& status) {
  if (!status) return status.error;
  const hipError_t error = hipDeviceSynchronize();
  return error == hipSuccess ? "" : hipGetErrorString(error);
}

}  // namespace hipsight::kernels
