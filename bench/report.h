#pragma once

#include <string>

#include "hipsight/values.h"

namespace hipsight::bench {

/// What `hipsight COMMAND` reports of a program of build/bench, with its arguments: of one that
/// chooses its kernels itself, by the HIP of a GPU, so that it must be a process of its own.
/// @throws std::runtime_error when it fails.
RunReport report(const std::string& command, const std::string& gpu, const std::string& program);

/// The only launch's, or that of the first kernel; with a prediction and a profile.
/// @throws std::runtime_error when there is none.
const KernelReport& first(const RunReport& report);
/// Of all kernels together.
double predicted_seconds(const RunReport& report);
/// Percent of the time for which a unit works. @throws std::runtime_error when there is none.
double percent_busy(const KernelReport& kernel, const std::string& unit);

}  // namespace hipsight::bench
