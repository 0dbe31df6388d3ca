#include "session/launch_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "code/descriptor.h"

namespace hipsight::session {
namespace {

constexpr std::uint32_t wgp_mode_bit = 1u << 29;  // of rsrc1 on RDNA (LLVM AMDGPUUsage)

/// Bytes of scratch that a wave can have: what COMPUTE_TMPRING_SIZE.WAVESIZE can say (LLVM,
/// GCNSubtarget::getMaxWaveScratchSize).
std::uint64_t max_scratch_of_wave(int isa_major) {
  if (isa_major >= 12) return 256 * ((std::uint64_t{1} << 18) - 1);
  if (isa_major == 11) return 256 * ((std::uint64_t{1} << 15) - 1);
  return 1024 * ((std::uint64_t{1} << 13) - 1);
}

std::string text(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return fmt::format("{} x {} x {}", x, y, z);
}

}  // namespace

timing::Resources resources_of(const gpus::Gpu& gpu, const code::Kernel& kernel,
                               std::uint32_t block_size, std::uint32_t dynamic_lds) {
  timing::Resources resources;
  resources.vgprs = kernel.vgprs;
  resources.sgprs = kernel.sgprs;
  resources.lds_bytes = kernel.lds_bytes + dynamic_lds;
  resources.workgroup_size = block_size;
  resources.wavefront_size = kernel.wavefront_size;
  resources.wgp_mode = gpu.cus_per_wgp > 1 && kernel.descriptor.rsrc1 & wgp_mode_bit;
  return resources;
}

std::uint32_t active_blocks(const gpus::Gpu& gpu, const code::Kernel& kernel,
                            std::uint32_t block_size, std::uint32_t dynamic_lds) {
  const std::uint64_t lds = std::uint64_t{kernel.lds_bytes} + dynamic_lds;
  if (block_size == 0 || block_size > gpu.max_workgroup_size || lds > gpu.max_lds_per_workgroup)
    return 0;
  const auto resources = resources_of(gpu, kernel, block_size, dynamic_lds);
  const std::uint32_t blocks = timing::occupancy(gpu, resources).workgroups;
  return resources.wgp_mode ? blocks : blocks * gpu.cus_per_wgp;
}

std::string why_none_fits(const gpus::Gpu& gpu, const code::Kernel& kernel,
                          std::uint32_t block_size, std::uint32_t dynamic_lds) {
  const int isa_major = gpu.isa_major();
  const std::uint64_t most = max_scratch_of_wave(isa_major) / kernel.wavefront_size;
  if (kernel.scratch_bytes > most)
    return fmt::format("{} bytes of scratch of a work-item are beyond {}", kernel.scratch_bytes,
                       most);
  timing::Resources resources = resources_of(gpu, kernel, block_size, dynamic_lds);
  resources.vgprs = code::vector_registers_of(kernel.descriptor, isa_major >= 10);
  const timing::Occupancy occupancy = timing::occupancy(gpu, resources);
  if (occupancy.workgroups) return {};
  return fmt::format(
      "{} has no room for its {} waves of {} vector registers and {} bytes of LDS ({})",
      resources.wgp_mode ? "a workgroup processor" : "a compute unit",
      occupancy.waves_per_workgroup, resources.vgprs, resources.lds_bytes, timing::text(occupancy));
}

engine::Dim3 Asked::running_grid() const {
  return {static_cast<std::uint32_t>(grid[0]), static_cast<std::uint32_t>(grid[1]),
          static_cast<std::uint32_t>(grid[2])};
}

engine::Dim3 Asked::running_block() const {
  const engine::Dim3 g = running_grid();
  return {std::min(block.x, g.x), std::min(block.y, g.y), std::min(block.z, g.z)};
}

std::optional<Refusal> refusal(const gpus::Gpu& gpu, const Asked& asked) {
  using Rule = Refusal::Rule;
  const code::Kernel& kernel = *asked.kernel;
  const auto& [x, y, z] = asked.grid;
  const engine::Dim3& wanted = asked.block;
  const auto block_text = [](const engine::Dim3& b) { return "a block of " + text(b.x, b.y, b.z); };
  const std::string grid_text = "a grid of " + text(x, y, z) + " work-items";
  if (!(wanted.x && wanted.y && wanted.z)) return Refusal{Rule::Configuration, block_text(wanted)};
  if (!(x && y && z)) return Refusal{Rule::Value, grid_text};
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (x > most || y > most || z > most) return Refusal{Rule::Configuration, grid_text};
  // No GPU would ever end it, and we count them in 64 bits.
  if (x * y > std::numeric_limits<std::uint64_t>::max() / z)
    return Refusal{Rule::Configuration, grid_text + " is beyond 2^64 in all"};
  const std::uint32_t limit = gpu.max_workgroup_size;
  if (wanted.x > limit || wanted.y > limit || wanted.z > limit || wanted.volume() > limit)
    return Refusal{Rule::Value, fmt::format("{} is beyond {}", block_text(wanted), limit)};
  if (asked.dynamic_lds > gpu.max_lds_per_workgroup ||
      asked.dynamic_lds + kernel.lds_bytes > gpu.max_lds_per_workgroup)
    return Refusal{Rule::Value,
                   fmt::format("{} + {} (dynamic) bytes of LDS are beyond {}", kernel.lds_bytes,
                               asked.dynamic_lds, gpu.max_lds_per_workgroup)};
  if (wanted.volume() > kernel.max_flat_workgroup_size)
    return Refusal{Rule::CompiledFor,
                   fmt::format("{} is beyond the {} it was compiled for", block_text(wanted),
                               kernel.max_flat_workgroup_size)};

  const engine::Dim3 grid = asked.running_grid(), block = asked.running_block();
  const auto size = static_cast<std::uint32_t>(block.volume());
  const auto dynamic_lds = static_cast<std::uint32_t>(asked.dynamic_lds);
  if (kernel.uniform_workgroup_size && (grid.x % block.x || grid.y % block.y || grid.z % block.z))
    return Refusal{Rule::Value,
                   fmt::format("{} work-items are no whole number of blocks of {}",
                               text(grid.x, grid.y, grid.z), text(block.x, block.y, block.z))};
  if (asked.cooperative) {
    const std::uint64_t held =
        std::uint64_t{active_blocks(gpu, kernel, size, dynamic_lds)} * gpu.hip_multiprocessors();
    if (const std::uint64_t blocks = grid.volume() / block.volume(); blocks > held)
      return Refusal{Rule::Cooperative,
                     fmt::format("{} cooperative blocks, but the GPU holds {}", blocks, held)};
  }
  // AMD's runtime lets it pass; then the hardware refuses the packet, and the queue is lost (ROCr:
  // HSA_STATUS_ERROR_INVALID_ISA, OUT_OF_REGISTERS or INVALID_DISPATCH_PARAMETERS).
  if (const std::string why = why_none_fits(gpu, kernel, size, dynamic_lds); !why.empty())
    return Refusal{Rule::Resources, fmt::format("{}: {}", block_text(block), why)};
  return std::nullopt;
}

}  // namespace hipsight::session
