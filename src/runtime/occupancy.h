#pragma once

#include <cstdint>
#include <string>

#include "code/code_object.h"
#include "gpus/gpu.h"

namespace hipsight::runtime {

/// Workgroups of a kernel that fit a multiprocessor as HIP counts them (a CU, on RDNA a WGP) at the
/// same time: limited by wave slots, registers and LDS.
std::uint32_t active_blocks(const gpus::Gpu& gpu, const code::Kernel& kernel,
                            std::uint32_t block_size, std::uint32_t dynamic_lds);

/// Why not even one workgroup of a kernel fits a GPU; empty where one does. By what the kernel's
/// descriptor asks for, as the hardware reads it.
std::string why_none_fits(const gpus::Gpu& gpu, const code::Kernel& kernel,
                          std::uint32_t block_size, std::uint32_t dynamic_lds);

}  // namespace hipsight::runtime
