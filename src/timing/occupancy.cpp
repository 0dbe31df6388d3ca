#include "timing/occupancy.h"

#include <algorithm>
#include <utility>

#include "support/error.h"

namespace hipsight::timing {
namespace {

constexpr std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}
constexpr std::uint32_t align(std::uint32_t a, std::uint32_t b) {
  return ceil_div(a, b) * b;
}

// Waves of a SIMD that a register file has room for.
std::uint32_t waves_by_registers(std::uint32_t used, std::uint32_t granule, std::uint32_t file) {
  return file / std::max(align(used, granule), granule);
}

struct Limits {
  std::uint32_t simds, max_waves, waves_per_workgroup, lds, barriers;
  std::uint32_t vgpr_waves, sgpr_waves;  // of a SIMD
};

Limits limits(const gpus::Gpu& gpu, const Resources& need) {
  if (need.workgroup_size == 0 || need.workgroup_size > gpu.max_workgroup_size)
    fail("{}: a workgroup of {} work-items; expected 1 to {}", gpu.name, need.workgroup_size,
         gpu.max_workgroup_size);
  if (need.wavefront_size != 32 && need.wavefront_size != 64)
    fail("{}: a wavefront of {} lanes; expected 32 or 64", gpu.name, need.wavefront_size);

  Limits limits{};
  const std::uint32_t cus = need.wgp_mode ? gpu.cus_per_wgp : 1;
  limits.simds = gpu.simds_per_cu * cus;
  limits.max_waves = gpu.max_waves_per_simd;
  limits.waves_per_workgroup = ceil_div(need.workgroup_size, need.wavefront_size);
  limits.lds = gpu.lds_bytes_per_cu * cus;
  limits.barriers = gpu.max_workgroups_per_cu * cus;
  // A wave64 on a GPU of wave32 takes two registers for each of its own: half of everything.
  const std::uint32_t scale = std::max(need.wavefront_size / gpu.wavefront_size, 1u);
  const std::uint32_t granule = std::max(gpu.vgpr_granule / scale, 1u);
  limits.vgpr_waves = waves_by_registers(need.vgprs, granule, gpu.vgprs_per_simd / scale);
  limits.sgpr_waves = gpu.sgprs_per_simd == 0
                          ? limits.max_waves
                          : waves_by_registers(need.sgprs, gpu.sgpr_granule, gpu.sgprs_per_simd);
  return limits;
}

// Workgroups of several waves each hold a barrier; a lone wave needs none.
std::uint32_t workgroups_by_barriers(const Limits& limits) {
  return limits.waves_per_workgroup == 1 ? limits.simds * limits.max_waves : limits.barriers;
}

// LLVM's AMDGPUSubtarget::getOccupancyWithWorkGroupSizes and AMDGPU::IsaInfo, for one workgroup
// size. LDS and SGPRs are not rounded to their granules there, and waves are counted without asking
// that whole workgroups fit.
std::uint32_t compiler_figure(const gpus::Gpu& gpu, const Resources& need, const Limits& limits) {
  const std::uint32_t by_lds = limits.lds / std::max(need.lds_bytes, 1u);
  const std::uint32_t slots = limits.max_waves * limits.simds / limits.waves_per_workgroup;
  const std::uint32_t groups = std::min({by_lds, slots, workgroups_by_barriers(limits)});
  const std::uint32_t sgprs =
      gpu.sgprs_per_simd == 0 ? limits.max_waves : gpu.sgprs_per_simd / std::max(need.sgprs, 1u);
  const std::uint32_t waves = ceil_div(groups * limits.waves_per_workgroup, limits.simds);
  return std::max(std::min({waves, limits.vgpr_waves, sgprs, limits.max_waves}), 1u);
}

}  // namespace

std::string_view text(Limiter limiter) {
  switch (limiter) {
    case Limiter::WaveSlots:
      return "wave slots";
    case Limiter::WorkgroupSize:
      return "workgroup size";
    case Limiter::Barriers:
      return "barriers";
    case Limiter::Vgprs:
      return "VGPRs";
    case Limiter::Sgprs:
      return "SGPRs";
    case Limiter::Lds:
      return "LDS";
  }
  return "?";
}

Occupancy occupancy(const gpus::Gpu& gpu, const Resources& need) {
  const Limits limit = limits(gpu, need);
  const auto groups = [&](std::uint32_t waves_per_simd) {
    return waves_per_simd * limit.simds / limit.waves_per_workgroup;
  };
  const bool lds_fits = need.lds_bytes <= gpu.max_lds_per_workgroup;
  const std::uint32_t lds_groups = need.lds_bytes == 0 ? ~0u
                                   : lds_fits ? limit.lds / align(need.lds_bytes, gpu.lds_granule)
                                              : 0;
  // In order of preference when two bind alike.
  const std::pair<Limiter, std::uint32_t> bounds[] = {
      {Limiter::WaveSlots, groups(limit.max_waves)},
      {Limiter::Barriers, workgroups_by_barriers(limit)},
      {Limiter::Vgprs, groups(limit.vgpr_waves)},
      {Limiter::Lds, lds_groups},
      {Limiter::Sgprs, groups(limit.sgpr_waves)},
  };
  const auto& least =
      *std::min_element(std::begin(bounds), std::end(bounds),
                        [](const auto& a, const auto& b) { return a.second < b.second; });

  Occupancy result;
  result.waves_per_workgroup = limit.waves_per_workgroup;
  result.simds = limit.simds;
  result.max_waves_per_simd = limit.max_waves;
  result.workgroups = least.second;
  result.limiter = least.first;
  if (least.first == Limiter::WaveSlots && result.waves() < limit.max_waves * limit.simds)
    result.limiter = Limiter::WorkgroupSize;
  result.compiler_waves_per_simd = compiler_figure(gpu, need, limit);
  return result;
}

std::optional<FewerVgprs> with_fewer_vgprs(const gpus::Gpu& gpu, const Resources& resources) {
  const Occupancy now = occupancy(gpu, resources);
  if (now.limiter != Limiter::Vgprs) return std::nullopt;
  for (Resources fewer = resources; fewer.vgprs-- > 1;) {
    const Occupancy then = occupancy(gpu, fewer);
    if (then.workgroups > now.workgroups) return FewerVgprs{fewer.vgprs, then};
  }
  return std::nullopt;
}

std::optional<LessLds> with_less_lds(const gpus::Gpu& gpu, const Resources& resources) {
  const Occupancy now = occupancy(gpu, resources);
  if (now.limiter != Limiter::Lds) return std::nullopt;
  Resources less = resources;
  for (std::uint32_t granules = ceil_div(resources.lds_bytes, gpu.lds_granule); granules-- > 0;) {
    less.lds_bytes = granules * gpu.lds_granule;
    const Occupancy then = occupancy(gpu, less);
    if (then.workgroups > now.workgroups) return LessLds{less.lds_bytes, then};
  }
  return std::nullopt;
}

std::string text(const Occupancy& occupancy) {
  if (occupancy.workgroups == 0)
    return fmt::format("not one workgroup fits, for {}", text(occupancy.limiter));
  const auto figure = fmt::format("{:.3g} of {} waves per SIMD", occupancy.waves_per_simd(),
                                  occupancy.max_waves_per_simd);
  if (occupancy.fraction() >= 1) return figure;
  return fmt::format("{}, limited by {}", figure, text(occupancy.limiter));
}

}  // namespace hipsight::timing
