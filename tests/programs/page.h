#pragma once

#include <string>
#include <vector>

namespace programs {

/// With every stretch of white space as one space.
std::string squeezed(const std::string& text);

/// A command of a page of the docs, as a block of code shows it after "$", and lines of its output.
struct Shown {
  std::string command;
  std::vector<std::string> lines;
};
/// Those with output.
std::vector<Shown> shown_in(const std::string& page);

}  // namespace programs
