#pragma once

#include <string>
#include <vector>

namespace hipsight::bench {

/// How far off one prediction was.
struct Outcome {
  std::string gpu, family;  ///< of the model: timing/family.h
  std::string kernel;       ///< or its binary
  bool fitted = false;      ///< whether constants of the model may be fitted on it
  double error = 0;         ///< of the time, percent; below 0: predicted too short
};

/// How many of the bands that hipsight states (src/timing/validated.cpp) are not these outcomes',
/// or do not hold: of the points on which nothing was fitted, fewer than nine of ten lie inside; or
/// fewer than seven of ten lie inside the band that the family's other kernels would give. Prints
/// all bands, and what should stand there instead.
std::size_t wrong_bands(const std::vector<Outcome>& outcomes);

}  // namespace hipsight::bench
