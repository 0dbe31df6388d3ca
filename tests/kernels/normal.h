// Random numbers for the tests of kernels.
#pragma once

#include <cmath>
#include <numbers>
#include <random>

/// Normally distributed, as those of std::normal_distribution<float>, which in libstdc++ takes
/// several logarithms of long double for each.
class Normal {
 public:
  float operator()(std::mt19937& generator) {
    has_second_ = !has_second_;
    if (!has_second_) return second_;
    const double radius = std::sqrt(-2 * std::log((generator() + 1.0) * 0x1p-32));
    const double angle = 2 * std::numbers::pi * 0x1p-32 * static_cast<double>(generator());
    second_ = static_cast<float>(radius * std::sin(angle));
    return static_cast<float>(radius * std::cos(angle));
  }

 private:
  bool has_second_ = false;
  float second_ = 0;
};
