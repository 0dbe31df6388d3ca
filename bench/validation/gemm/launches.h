#pragma once

#include <string>
#include <vector>

#include "gpus/gpu.h"

namespace hipsight::bench {

/// A measured launch of one of ROCm/aiter's assembly GEMMs (objects.csv, timings.csv).
struct GemmLaunch {
  std::string path, family, kernel;  ///< of the code object
  unsigned tile_m, tile_n;
  std::string gpu;
  unsigned m, n, k, split_k, bias, out_bytes;
  double least, most;  ///< microseconds
  std::string recording;

  /// The file's name.
  std::string binary() const;
  /// The matrices' bytes, and what crosses to memory at least.
  double bytes() const;
  /// Partial sums of fp8 and i8 are added up in memory, which another kernel sets to zero before:
  /// seconds that it takes, of which a launch takes so many.
  double zeroing_seconds(const gpus::Gpu& on, double launch_seconds) const;
};

/// All of them, each with its recording: of this folder; with a checkout of ROCm/aiter new ones,
/// which then take their place. @throws std::runtime_error when a launch fails.
std::vector<GemmLaunch> gemm_launches(const std::string& source = "");

}  // namespace hipsight::bench
