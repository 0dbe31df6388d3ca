#pragma once

#include <cstdint>

#include "code/code_object.h"
#include "gpus/gpu.h"

namespace hipsight::runtime {

/// Workgroups of a kernel that fit a multiprocessor as HIP counts them (a CU, on RDNA a WGP) at the
/// same time: limited by wave slots, registers and LDS.
std::uint32_t active_blocks(const gpus::Gpu& gpu, const code::Kernel& kernel,
                            std::uint32_t block_size, std::uint32_t dynamic_lds);

}  // namespace hipsight::runtime
