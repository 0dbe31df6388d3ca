#pragma once

#include <cstdint>

#include "config/environment.h"
#include "gpus/gpu.h"

namespace hipsight::rocm {

/// The GPUs that `hipsight run` chose for this process.
struct Emulated {
  gpus::Gpu gpu;
  std::uint64_t count = 1;
};

/// @throws Exception when a variable makes no sense, or there is no such GPU.
inline Emulated emulated() {
  const Config config = config::read().config;
  gpus::use_folders(config.gpu_path);
  return {gpus::find(config.gpu, config.xnack), config.gpus};
}

}  // namespace hipsight::rocm
