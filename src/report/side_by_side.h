#pragma once

#include <span>
#include <string>

namespace hipsight::report {

/// What came of one program on one GPU.
struct GpuRun {
  std::string gpu;      ///< as it was asked for
  std::string json;     ///< the report; empty: there is none
  std::string problem;  ///< why the program failed there, if it did
};

/// The verdicts of the same program on several GPUs, kernel by kernel, for people.
std::string side_by_side(std::span<const GpuRun> runs);

/// The report of the first run as JSON, with those of the others as its key "also".
std::string side_by_side_json(std::span<const GpuRun> runs);

}  // namespace hipsight::report
