#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "code/code_object.h"
#include "engine/engine.h"
#include "gpus/gpu.h"
#include "timing/occupancy.h"

namespace hipsight::session {

/// What one launch of a kernel takes of a compute unit.
timing::Resources resources_of(const gpus::Gpu& gpu, const code::Kernel& kernel,
                               std::uint32_t block_size, std::uint32_t dynamic_lds);

/// Workgroups of a kernel that fit a multiprocessor as HIP counts them (a CU, on RDNA a WGP) at the
/// same time: limited by wave slots, registers and LDS.
std::uint32_t active_blocks(const gpus::Gpu& gpu, const code::Kernel& kernel,
                            std::uint32_t block_size, std::uint32_t dynamic_lds);

/// Why not even one workgroup of a kernel fits a GPU; empty where one does. By what the kernel's
/// descriptor asks for, as the hardware reads it.
std::string why_none_fits(const gpus::Gpu& gpu, const code::Kernel& kernel,
                          std::uint32_t block_size, std::uint32_t dynamic_lds);

/// A launch as a program asks for it.
struct Asked {
  const code::Kernel* kernel = nullptr;
  std::array<std::uint64_t, 3> grid{};  ///< work-items
  engine::Dim3 block;
  std::size_t dynamic_lds = 0;
  bool cooperative = false;

  /// As it runs, once it is not refused: a block is no larger than the grid.
  engine::Dim3 running_grid() const;
  engine::Dim3 running_block() const;
};

/// Why a launch is refused.
struct Refusal {
  enum class Rule {
    Configuration,  ///< dimensions that make no sense
    Value,          ///< beyond what the GPU takes
    CompiledFor,    ///< a larger block than the kernel was compiled for
    Cooperative,    ///< the GPU does not hold all its workgroups at once
    Resources,      ///< not one workgroup fits
  } rule;
  std::string text;
};

/// HIP's rules (ROCm clr: ihipLaunchKernel_validate), and the hardware's.
std::optional<Refusal> refusal(const gpus::Gpu& gpu, const Asked& asked);

}  // namespace hipsight::session
