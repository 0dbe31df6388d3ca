#pragma once

#include <cmath>
#include <string>
#include <vector>

namespace hipsight::bench {

/// One measured launch of an assembly GEMM of ROCm/aiter (timings.csv), and what models say of it.
/// Seconds.
struct GemmPoint {
  std::string gpu, family, binary;  ///< binary: the file's name
  bool fitted = false;              ///< gemm/split.h
  unsigned m = 0, n = 0, k = 0, split_k = 1;
  double least = 0, most = 0;  ///< measured
  double predicted = 0;
  double specified_roof = 0, achievable_roof = 0, launch_roof = 0;  ///< the last one with launch
  std::string bound, model_family;  ///< the latter: timing/validated.h
  /// Of several measurements the middle, in the logarithm.
  double measured() const { return std::sqrt(least * most); }
  /// Percent; below 0: predicted too short.
  double error(double GemmPoint::* model = &GemmPoint::predicted) const {
    return 100 * (this->*model / measured() - 1);
  }
};

struct GemmLaunch;
/// Predicts one launch from its recording.
GemmPoint gemm_point(const GemmLaunch& launch);
/// Predicts every measured launch from recordings of this folder; with a checkout of ROCm/aiter
/// from new ones, which then take their place. @throws std::runtime_error when a launch fails.
std::vector<GemmPoint> gemm_points(const std::string& source);

struct GemmErrors {
  double median, p90;  ///< percent, of what was not fitted
};
/// Prints tables of errors, and writes all points to a file.
GemmErrors print_gemms(const std::vector<GemmPoint>& points, const std::string& csv);

}  // namespace hipsight::bench
