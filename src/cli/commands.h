#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/environment.h"
#include "hipsight/values.h"
#include "report/side_by_side.h"

namespace hipsight::cli {

/// Exit codes of the command itself (docs/exit-codes.md); 126 and 127 are the shells' own.
constexpr int kUsageError = 125;
constexpr int kNotExecutable = 126;
constexpr int kNotFound = 127;
constexpr int kInterrupted = 130;  ///< by SIGINT

struct RunOptions {
  config::Loaded options;            ///< of which the command line's go to the program
  std::vector<std::string> also;     ///< GPUs that the program is run on after that one
  std::vector<std::string> program;  ///< and its arguments
  /// Options of hipsight_launch (src/launcher), if the program is a file with device code, one
  /// kernel of which is to be launched.
  std::vector<std::string> launcher;
  std::filesystem::path folder;  ///< that the program runs in; empty: this one
};

/// Replaces this process by the program, its HIP calls going to our libamdhip64. Returns only when
/// that fails: kNotFound or kNotExecutable, told on stderr.
/// @throws Exception when the GPU is not known or our library is not there.
int run(const RunOptions& options);

/// Runs the program on its GPU and then on those of `options.also`, as processes of their own, and
/// compares the reports. Returns the exit code of the first.
/// @throws Exception as `run`.
int run_side_by_side(const RunOptions& options);

/// The same for what may be a program, a HIP source, a capture or a file with device code.
/// @throws Exception as `run`, and when the file cannot be used.
int explain(const RunOptions& options);

/// Does that in a process of its own, which ends with this one. Returns as run_process.
int in_process(const std::function<int()>& work);
/// Runs the program as a process of its own. Returns its exit code, or 128 plus the signal that
/// ended it, as shells do. `output`: a file for all that it prints, then without input; or empty.
int run_process(const RunOptions& options, const std::filesystem::path& output = {});
/// What is wrong with such a code, with the last lines of the output; empty: nothing.
std::string problem(int code, const std::string& output);
/// The program on a GPU, with all that it prints in a file in `scratch`: what it reports. None: it
/// was interrupted.
std::optional<report::GpuRun> run_for_report(RunOptions options, const std::string& gpu,
                                             const std::filesystem::path& scratch);
/// The same of a tool of ours, by its path, without a GPU.
int run_tool(std::vector<std::string> words);

struct CompareOptions {
  RunOptions a, b;                 ///< b: unless several GPUs are compared
  std::vector<std::string> saved;  ///< files of --values, in place of programs
  std::string json;                ///< file to write, too; empty: none
};
/// Says what differs between two programs, two launches or several GPUs, and why (docs/compare.md).
/// @throws Exception as `run`; when a program fails, or the sides cannot be compared.
int compare(const CompareOptions& options);

struct ReplayOptions {
  std::string file;
  config::Loaded options;
  std::string dump_file;  ///< digests of memory; "-": stdout; empty: none
};

struct CollectiveOptions {
  std::string gpu, kind = "all-reduce";
  Collective operation;              ///< but for its size
  std::vector<std::uint64_t> bytes;  ///< none: 1 KiB to 1 GiB
};
/// Prints how long operations of several GPUs would take. @throws Exception when there are none.
int show_collective(const CollectiveOptions& options);

constexpr int kDiffers = 1;
constexpr int kKernelError = 86;
constexpr int kFinding = 87;
constexpr int kTimeout = 124;

/// Runs a captured launch again. Returns 0 when memory then holds what it held in the capture,
/// kDiffers when not, kFinding when it does and --fail-if holds, kKernelError or kTimeout when the
/// launch failed.
/// @throws Exception when the file cannot be used.
int replay(const ReplayOptions& options);

struct KpiOptions {
  enum class What : std::uint8_t { Record, Check, Diff } what = What::Check;
  std::string file, other;             ///< the suite; of Diff, two files of figures
  std::string only;                    ///< a case; empty: all
  std::string gpu;                     ///< one of its GPUs; empty: all
  std::string folder;                  ///< where programs run; empty: the suite's
  bool exact = false;                  ///< of Check: whatever differs fails
  std::string junit, sarif, markdown;  ///< files to write, too; empty: none
  config::Loaded options;
};
/// Measures the programs of a suite, and records their figures or compares them with what is
/// recorded (docs/kpi.md). Returns 0, or kFinding if something is worse.
/// @throws Exception when a file cannot be used, or a program fails.
int kpi(const KpiOptions& options);

struct TuneOptions {
  RunOptions run;                       ///< its words have parameters in braces
  std::vector<std::string> parameters;  ///< as of tune/space.h
  std::string build;                    ///< a shell's command, likewise; empty: nothing to build
  std::string log;                      ///< file of results so far; empty: of this run only
  std::string against;                  ///< a figure; empty: none
  std::string csv, json, svg;           ///< files to write, too; empty: none
  unsigned jobs = 1;
  unsigned part = 1, parts = 1;  ///< of all configurations
  config::Ranks ranks;           ///< processes that share the work, and the log
  unsigned most = 20;            ///< that are told
};
/// Predicts a program in every configuration, and ranks them (docs/tune.md). Returns 0 if one ran,
/// else kUsageError.
/// @throws Exception when a parameter or a file cannot be used.
int tune(const TuneOptions& options);

struct CalibrateOptions {
  std::string file;               ///< measured times, as of calibrate/measured.h
  std::string out;                ///< a GPU file to write; empty: none
  std::vector<std::string> keys;  ///< of numbers that are fitted; empty: the usual ones
  std::filesystem::path folder;   ///< that commands run in; empty: this one
  config::Loaded options;
};
/// Fits numbers of a GPU to measured times (docs/calibrate.md). Returns 0, or kDiffers if what was
/// fitted is no better.
/// @throws Exception when a file cannot be used, or a program fails.
int calibrate(const CalibrateOptions& options);

/// Every option, its value and where that came from.
int show_config(const config::Loaded& options);

/// What is here, what is missing for what, and how to get it. Returns kUsageError if programs
/// cannot run.
int doctor(const config::Loaded& options);

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
