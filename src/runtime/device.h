#pragma once

#include "gpus/gpu.h"
#include "runtime/hip_types.h"

namespace hipsight::runtime {

/// Major and minor number of the instruction set: 9 and 4 for gfx942, 11 and 0 for gfx1100.
int isa_major(const gpus::Gpu& gpu);
int isa_minor(const gpus::Gpu& gpu);

/// What HIP 6 and later report of a device.
hipDeviceProp_tR0600 properties(const gpus::Gpu& gpu, int device);
/// The same in the layout before HIP 6.
hipDeviceProp_tR0000 properties_before_6(const gpus::Gpu& gpu, int device);

}  // namespace hipsight::runtime
