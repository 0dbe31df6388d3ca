#pragma once

#include <string>
#include <vector>

#include "config/table.h"

namespace hipsight::config {

/// A variable of the environment; empty when it is not set. A program that runs with more rights
/// than whoever started it (AT_SECURE: set-user-ID, file capabilities) takes none: they would let a
/// stranger write files with its rights, or run code of his.
std::string environment(const char* name);

/// What MPI's starter, or Slurm's, says of the processes that it has started together.
struct Ranks {
  unsigned rank = 0, size = 1;
  std::string job;  ///< tells them from those of another start; empty: this process is alone
};
/// Open MPI, MPICH and Slurm. @throws Exception when the numbers make no sense.
Ranks ranks();

enum class Origin { Default, Environment, CommandLine };

/// All options, and where each of them came from.
struct Loaded {
  Config config;
  std::vector<Origin> origins;  ///< by row

  bool is_from_command_line(const Row& row) const { return origin(row) == Origin::CommandLine; }
  Origin origin(const Row& row) const { return origins[std::size_t(&row - rows().data())]; }
  /// Takes an option from the command line. @throws Exception that names the option, the text and
  /// what is allowed.
  void from_command_line(const Row& row, const std::string& text);
};

/// Reads the environment. @throws Exception that names the variable, its value and what is allowed.
Loaded read();

/// A sentence on each variable that begins with HIPSIGHT_ and that nothing reads: it names the
/// nearest that there is.
std::vector<std::string> strangers();

}  // namespace hipsight::config
