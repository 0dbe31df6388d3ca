#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hipsight::cli {

/// Exit codes of the command itself (docs/exit-codes.md); 126 and 127 are the shells' own.
constexpr int kUsageError = 125;
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;

struct RunOptions {
  std::string gpu;                ///< name or file; empty: HIPSIGHT_GPU, else the default GPU
  std::optional<unsigned> gpus;   ///< how many of it
  std::vector<std::string> also;  ///< GPUs that the program is run on after that one
  std::optional<double> timeout_seconds;
  std::optional<unsigned> threads;
  std::string kernel;                   ///< regular expression: kernels to report
  std::optional<std::uint64_t> launch;  ///< the one launch of them to report, from 1
  std::string report_file, json_file;
  bool strict = false;
  bool no_report = false;
  std::optional<double> progress_seconds;
  std::vector<std::string> program;  ///< and its arguments
};

/// The GPU that is asked for, by `asked` or else by HIPSIGHT_GPU, as a name or an absolute path.
/// @throws Error when there is no such GPU.
std::string gpu_to_use(const std::string& asked);

/// Replaces this process by the program, its HIP calls going to our libamdhip64. Returns only when
/// that fails: kNotFound or kNotExecutable, told on stderr.
/// @throws Error when the GPU is not known or our library is not there.
int run(const RunOptions& options);

/// Runs the program on its GPU and then on those of `options.also`, as processes of their own, and
/// compares the reports. Returns the exit code of the first.
/// @throws Error as `run`.
int run_side_by_side(const RunOptions& options);

/// The table of GPUs that hipsight knows.
int list_gpus();
/// One GPU with the source of each number.
int show_gpu(const std::string& name);

}  // namespace hipsight::cli
