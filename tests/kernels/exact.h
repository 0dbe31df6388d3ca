// What tests expect of matrix instructions as the GPU has them, which `--matrix exact` asks for.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstdlib>
#include <string_view>

#include "hipsight/kernels/device.h"

/// CDNA2's take those of f16 and bf16 so; fast mode keeps them (docs/matrix.md).
inline bool takes_denormals_as_zeros() {
  using namespace hipsight::kernels;
  const char* mode = std::getenv("HIPSIGHT_MATRIX");
  return mode && std::string_view(mode) == "exact" &&
         current_device().architecture == Architecture::cdna2;
}
