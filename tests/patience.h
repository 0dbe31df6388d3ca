#pragma once

#include <cstdlib>

namespace hipsight {

/// The longest that something may take: so many seconds in CI, and twenty times as long elsewhere,
/// where a slow or busy machine is no fault of ours.
inline double patience(double seconds) {
  return std::getenv("CI") ? seconds : 20 * seconds;
}

}  // namespace hipsight
