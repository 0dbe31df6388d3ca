#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gpus/gpu.h"

namespace hipsight::bench {

/// One of ROCm/aiter's assembly GEMMs (objects.csv).
struct GemmObject {
  std::string path, family, kernel;
  unsigned tile_m, tile_n;
  std::string splits;  ///< how its tuners divide k: "one" part, "some" (two and more) or "any"
};
/// All of them.
std::vector<GemmObject> gemm_objects();

/// A launch of one, measured (timings.csv) or not.
struct GemmLaunch {
  GemmObject object;
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

/// All measured launches, without recordings.
std::vector<GemmLaunch> measured_launches();
/// Gives each launch its recording: from that file; with a checkout of ROCm/aiter new ones, which
/// then take its place. @throws std::runtime_error when a launch fails.
void add_recordings(const std::vector<GemmLaunch*>& launches, const std::filesystem::path& file,
                    const std::string& source);
/// All measured launches, each with its recording (those of this folder, or new ones).
std::vector<GemmLaunch> gemm_launches(const std::string& source = "");

}  // namespace hipsight::bench
