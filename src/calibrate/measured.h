#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hipsight::calibrate {

/// A kernel that was measured.
struct Measured {
  std::string command;  ///< a program that launches it last, with its arguments; or a recording
  double seconds = 0;
};

/// Lines "COMMAND,MICROSECONDS" after a first one that says so; what begins with # is a comment. A
/// command with commas stands in quotes. @throws Exception naming the file and the line.
std::vector<Measured> read_times(std::string_view text, const std::string& origin);

/// Of a command: "./triad", "1048576". @throws Exception for an empty one.
std::vector<std::string> words_of(const std::string& command);

}  // namespace hipsight::calibrate
