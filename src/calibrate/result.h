#pragma once

#include <string>
#include <vector>

#include "calibrate/fit.h"

namespace hipsight::calibrate {

/// Percent of the measured times.
struct Errors {
  double median = 0, p90 = 0;
};
Errors errors_of(const std::vector<Measured>& points, const std::vector<double>& predicted);

/// Whether constants are nearer to kernels that they were not fitted to than those of the GPU's
/// file are. Without any that were held out: whether they are nearer at all.
bool is_better(const std::vector<Measured>& points, const Calibration& calibration);

/// What was fitted, and how good it is: errors first, then constants, then each kernel.
std::string to_text(const std::vector<Measured>& points, const Calibration& calibration,
                    const std::string& title);

/// A GPU file that builds on `base`. `source`: where the numbers are from.
std::string to_toml(const Calibration& calibration, const gpus::Gpu& base, const std::string& name,
                    const std::string& source);

}  // namespace hipsight::calibrate
