#pragma once

#include <string>
#include <vector>

namespace hipsight::bench {

/// How far off one prediction was.
struct Outcome {
  std::string gpu, family;  ///< of the model: timing/validated.h
  bool fitted = false;      ///< whether constants of the model may be fitted on it
  double error = 0;         ///< of the time, percent; below 0: predicted too short
};

/// How many of the bands that hipsight states (src/timing/validated.cpp) are not these outcomes'.
/// Prints what should stand there instead.
std::size_t wrong_bands(const std::vector<Outcome>& outcomes);

}  // namespace hipsight::bench
