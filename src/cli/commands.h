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
  std::string matrix;  ///< "fast" or "exact"; empty: HIPSIGHT_MATRIX, else fast
  bool no_report = false;
  bool fidelity = false;
  std::string capture_file;       ///< where the first selected launch goes
  std::string trace, trace_file;  ///< a wave (report::TraceOptions), and where its trace goes
  unsigned profile = 0;           ///< workgroups to observe; 0: no profile
  std::string recording_file;     ///< for timing::read
  std::string caches;             ///< "cold", "mall" or "warm": when a launch begins
  std::optional<std::uint64_t>
      simulate;  ///< instructions of a compute unit; the rest is extrapolated
  bool sampled_only = false;
  bool predict = false;              ///< and then only the prediction is told
  std::string progress_seconds;      ///< from one line to the next; empty: as usual
  std::vector<std::string> program;  ///< and its arguments
  /// Options of hipsight_launch (src/launcher), if the program is a file with device code, one
  /// kernel of which is to be launched.
  std::vector<std::string> launcher;
};

/// The GPU that is asked for, by `asked` or else by HIPSIGHT_GPU, as a name or an absolute path.
/// @throws Exception when there is no such GPU.
std::string gpu_to_use(const std::string& asked);

/// Replaces this process by the program, its HIP calls going to our libamdhip64. Returns only when
/// that fails: kNotFound or kNotExecutable, told on stderr.
/// @throws Exception when the GPU is not known or our library is not there.
int run(const RunOptions& options);

/// Runs the program on its GPU and then on those of `options.also`, as processes of their own, and
/// compares the reports. Returns the exit code of the first.
/// @throws Exception as `run`.
int run_side_by_side(const RunOptions& options);

/// Like `run`, but one launch, options.launch of options.kernel, is written to a file.
int capture(const RunOptions& options, const std::string& file);

struct ReplayOptions {
  std::string file;
  std::string gpu;  ///< name or file; empty: the one of the capture
  std::optional<double> timeout_seconds;
  std::string report_file, json_file;
  bool no_report = false;
  unsigned profile = 0;   ///< as of RunOptions
  std::string dump_file;  ///< digests of memory; "-": stdout; empty: none
};

constexpr int kDiffers = 1;
constexpr int kKernelError = 86;
constexpr int kTimeout = 124;

/// Runs a captured launch again. Returns 0 when memory then holds what it held in the capture,
/// kDiffers when not, kKernelError or kTimeout when the launch failed.
/// @throws Exception when the file cannot be used.
int replay(const ReplayOptions& options);

/// The table of GPUs that hipsight knows.
int list_gpus();
/// One GPU with the source of each number.
int show_gpu(const std::string& name);

struct IsaOptions {
  std::string name;                  ///< the instruction to show
  std::vector<std::string> targets;  ///< processors; empty: one per instruction set
  bool missing = false, json = false;
};
/// What an instruction does, and where there is one. @throws Exception when no processor has it.
int show_instruction(const IsaOptions& options);
/// The share of each processor's instructions that hipsight runs.
int show_coverage(const IsaOptions& options);

}  // namespace hipsight::cli
