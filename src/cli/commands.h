#pragma once

#include <optional>
#include <string>
#include <vector>

namespace hipsight::cli {

/// Exit codes of the command itself (docs/exit-codes.md); 126 and 127 are the shells' own.
constexpr int kUsageError = 125;
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;

struct RunOptions {
  std::string gpu;  ///< name or file; empty: HIPSIGHT_GPU, else the default GPU
  std::optional<double> timeout_seconds;
  std::optional<unsigned> threads;
  std::string report_file, json_file;
  bool strict = false;
  bool no_report = false;
  std::vector<std::string> program;  ///< and its arguments
};

/// Replaces this process by the program, its HIP calls going to our libamdhip64. Returns only when
/// that fails: kNotFound or kNotExecutable, told on stderr.
/// @throws Error when the GPU is not known or our library is not there.
int run(const RunOptions& options);

/// The table of GPUs that hipsight knows.
int list_gpus();
/// One GPU with the source of each number.
int show_gpu(const std::string& name);

}  // namespace hipsight::cli
