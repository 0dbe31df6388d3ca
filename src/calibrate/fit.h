#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/measured.h"
#include "gpus/gpu.h"

namespace hipsight::calibrate {

/// The predicted time of a point on a GPU, in seconds. Called from several threads at once.
using Predict = std::function<double(const gpus::Gpu&, std::size_t point)>;

/// A number of a GPU file.
struct Constant {
  std::string key;
  double before = 0, after = 0;
};

struct Calibration {
  std::vector<Constant> constants;  ///< those that were fitted
  /// Predicted seconds of each point: by the GPU as it was; by the fitted constants; and by
  /// constants that were fitted without the fifth of the points that it is in. The last is empty
  /// for fewer than `least_held_out` points.
  std::vector<double> before, after, held_out;
};
inline constexpr std::size_t least_held_out = 10;

/// What is fitted unless the caller says: rates and latencies of memory, and the launch. Those of
/// them that the GPU's file has, or else predictions assume.
std::vector<std::string> usual_keys(const gpus::Gpu& gpu);

/// Fits constants to measured times: each by a factor, such that the mean of |log(predicted /
/// measured)| is least, and a factor that gains nothing stays 1. By descent along one constant at a
/// time. The same points give the same constants.
/// @throws Exception when the GPU has no number of a key.
Calibration calibrate(const gpus::Gpu& gpu, const std::vector<std::string>& keys,
                      const std::vector<Measured>& points, const Predict& predict);

}  // namespace hipsight::calibrate
