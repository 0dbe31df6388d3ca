#pragma once

#include <optional>
#include <span>
#include <string>

#include "hipsight/values.h"

namespace hipsight::report {

/// What came of one program on one GPU.
struct GpuRun {
  std::string gpu;                  ///< as it was asked for
  std::optional<RunReport> report;  ///< none: the program left none
  std::string problem;              ///< why the program failed there, if it did
};

/// The verdicts of the same program on several GPUs, kernel by kernel, for people.
std::string to_text(std::span<const GpuRun> runs);
/// The report of the first run, which there must be, with those of the others as its key "also".
std::string to_json(std::span<const GpuRun> runs);

}  // namespace hipsight::report
