#pragma once

#include <cstdint>

#include "engine/engine.h"
#include "gpus/gpu.h"
#include "profile/trace.h"
#include "timing/occupancy.h"
#include "timing/predict.h"

namespace hipsight::explain {

/// One launch as the timing model takes it. Refers to what it is of.
struct Launch {
  const gpus::Gpu* gpu = nullptr;
  const profile::LaunchTrace* trace = nullptr;  ///< through simulate
  const engine::Result* result = nullptr;
  timing::Resources resources;
  timing::Occupancy occupancy;  ///< that these allow
  std::uint32_t wavefront_size = 64;
  timing::Assumptions assumptions = {};

  timing::Prediction predict() const {
    return timing::predict(*gpu, *trace, *result, occupancy, wavefront_size, assumptions);
  }
};

}  // namespace hipsight::explain
