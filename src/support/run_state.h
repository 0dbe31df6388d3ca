#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

namespace hipsight {

/// What the processes of one `hipsight run` tell each other. It lies in a memory file that the
/// first one has open, which HIPSIGHT_RUN names: "PROCESS:DESCRIPTOR". src/leave reads it, too.
struct RunState {
  static constexpr std::uint32_t kMagic = 0x48535231;
  /// What may be asked for beside the program's own work, as bits.
  enum Product : std::uint32_t {
    Reports = 1,   ///< a report in a file, a profile, a prediction
    Launches = 2,  ///< launches that --kernel and --launch choose
    Captures = 4,
    Traces = 8
  };

  std::uint32_t magic = kMagic;
  std::atomic<std::uint32_t> processes{0};  ///< that have used HIP
  std::atomic<std::uint32_t> wanted{0}, made{0};
  std::atomic<std::uint32_t> failed{0};  ///< files that could not be written
};

/// Makes one for this process and what it becomes by exec, with HIPSIGHT_RUN.
/// @throws Exception when that cannot be.
RunState& share_run_state();

/// Makes this process one of the run with that name, a value of HIPSIGHT_RUN, if there is such a
/// run.
void join_run(const std::string& name);

/// That of the run which this process has joined; null if there is none.
RunState* run_state();

/// Which of the processes of the run that have used HIP this one is, from 1, in order of their
/// first call; 1 without a run.
std::uint32_t process_of_run();

/// The file for the n-th process (from 1) of a run that was told to write this one: "report.json"
/// for the first, "report.2.json" for the second. A pipe or a device is all processes'.
std::filesystem::path output_of_process(const std::filesystem::path& file, std::uint32_t process);

}  // namespace hipsight
