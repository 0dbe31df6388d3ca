#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "../patience.h"

namespace programs {

/// What came of a program.
struct Outcome {
  std::string out, err;
  int status = -1;         ///< exit status, or -1
  int signal = 0;          ///< that ended it
  bool timed_out = false;  ///< it was stopped, since it ran beyond the limit
  double seconds = 0;
  long memory_kib = 0;  ///< most that it had in memory
};

using Words = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

/// Runs a command (an absolute path and its arguments) with these variables added to a bare
/// environment, and nothing on its standard input.
Outcome run(const Words& command, const Environment& environment = {},
            double limit_seconds = hipsight::patience(60));

/// hipsight run OPTIONS -- PROGRAM ARGUMENTS, where `program` is one of this folder's.
Outcome hipsight_run(const Words& options, const Words& program,
                     const Environment& environment = {});

/// The environment in which the engine takes this tier: "interpret", or "translate", at first
/// sight.
Environment in_tier(const std::string& tier);

/// Where the programs are.
std::filesystem::path folder();
/// "FILE:LINE" of the only line of a program's source that holds this text.
std::string source_of(const std::string& program, const std::string& text);
/// Whether a text names this line, or one of the four before and after it, as FILE:LINE:
testing::Matcher<std::string> names_line_near(const std::string& place);
/// For messages of tests.
std::string describe(const Outcome& outcome);

std::string read_file(const std::filesystem::path& file);
void write_file(const std::filesystem::path& file, const std::string& content);

/// A folder of its own for a test, removed with it.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace programs
