#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace hipsight::report {

/// A point of a plot, and what a browser says of it.
struct Dot {
  double x = 0, y = 0;
  std::string text;
  bool marked = false;  ///< in red
};

/// Points over one quantity. Lines from 0 upwards.
struct Plot {
  std::string title, x_words;
  std::function<std::string(double)> x_text, y_text;  ///< of values at the axes
  std::vector<Dot> dots;
  bool through_all = false;  ///< a line goes through all points; else through those that are marked
};

/// One below the other, as an SVG file that needs nothing else.
std::string to_svg(std::span<const Plot> plots);

}  // namespace hipsight::report
