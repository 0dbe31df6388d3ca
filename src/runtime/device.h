#pragma once

#include "gpus/gpu.h"
#include "runtime/hip_types.h"

namespace hipsight::runtime {

/// What HIP 6 and later report of a device.
hipDeviceProp_tR0600 properties(const gpus::Gpu& gpu, int device);
/// The same in the layout before HIP 6.
hipDeviceProp_tR0000 properties_before_6(const gpus::Gpu& gpu, int device);

}  // namespace hipsight::runtime
