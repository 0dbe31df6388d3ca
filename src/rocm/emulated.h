#pragma once

#include <algorithm>
#include <cstdlib>

#include "gpus/gpu.h"

namespace hipsight::rocm {

/// The GPU that `hipsight run` chose for this process.
inline gpus::Gpu emulated_gpu() {
  const char* name = std::getenv("HIPSIGHT_GPU");
  return gpus::find(name && *name ? name : "mi300x");
}

/// How many of it there are.
inline int emulated_gpus() {
  const char* text = std::getenv("HIPSIGHT_GPUS");
  return text ? std::clamp(std::atoi(text), 1, 64) : 1;
}

}  // namespace hipsight::rocm
