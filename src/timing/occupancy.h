#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gpus/gpu.h"

namespace hipsight::timing {

/// What one launch of a kernel takes of a compute unit.
struct Resources {
  std::uint32_t vgprs = 0;  ///< of a lane; with the AGPRs, on gfx90a and later
  std::uint32_t sgprs = 0;
  std::uint32_t lds_bytes = 0;  ///< of a workgroup, dynamic LDS with it
  std::uint32_t workgroup_size = 1;
  std::uint32_t wavefront_size = 64;
  bool wgp_mode = false;  ///< RDNA: a workgroup spreads over both compute units of a WGP
};

/// What keeps more waves from being resident.
enum class Limiter : std::uint8_t { WaveSlots, WorkgroupSize, Barriers, Vgprs, Sgprs, Lds };
std::string_view text(Limiter limiter);

/// How many waves of a kernel a compute unit holds at a time.
struct Occupancy {
  std::uint32_t waves_per_workgroup = 1;
  std::uint32_t simds = 4;       ///< of what a workgroup spreads over: a compute unit or a WGP
  std::uint32_t workgroups = 0;  ///< resident there; 0: not even one fits
  std::uint32_t max_waves_per_simd = 0;
  Limiter limiter = Limiter::WaveSlots;
  /// The figure of LLVM's remark "Occupancy [waves/SIMD]", which does not count whole workgroups
  /// (docs/occupancy.md says where the two differ).
  std::uint32_t compiler_waves_per_simd = 0;

  std::uint32_t waves() const { return workgroups * waves_per_workgroup; }
  double waves_per_simd() const { return double(waves()) / simds; }
  double fraction() const { return waves_per_simd() / max_waves_per_simd; }
};

/// Occupancy of a kernel on a GPU. Numbers of registers, LDS and waves come from the GPU's file;
/// the rules from LLVM's occupancy model and the hardware's placing of whole workgroups.
/// @throws Exception when the workgroup or the wavefront size is none that the GPU can have.
Occupancy occupancy(const gpus::Gpu& gpu, const Resources& resources);

/// The most VGPRs with which more workgroups of a kernel would be resident than are.
struct FewerVgprs {
  std::uint32_t vgprs = 0;
  Occupancy occupancy;  ///< with them
};
/// None where VGPRs are not what limits it, or where something else would at once.
std::optional<FewerVgprs> with_fewer_vgprs(const gpus::Gpu& gpu, const Resources& resources);

/// The same of LDS: the most bytes of a workgroup.
struct LessLds {
  std::uint32_t bytes = 0;
  Occupancy occupancy;  ///< with them
};
std::optional<LessLds> with_less_lds(const gpus::Gpu& gpu, const Resources& resources);

/// In words: "4 of 8 waves per SIMD, limited by VGPRs".
std::string text(const Occupancy& occupancy);

}  // namespace hipsight::timing
