#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "timing/predict.h"

namespace hipsight::timing {

/// What a prediction needs of a launch: what its observed workgroups did, without addresses or
/// data, and the names and registers of the instructions. Of one GPU: caches and LDS are its.
struct Recording {
  gpus::Gpu gpu;
  Occupancy occupancy;
  std::uint32_t wavefront_size = 64;
  engine::Result result;  ///< counts, regions, workgroups
  profile::LaunchTrace trace;
  std::vector<isa::Instruction> code;  ///< that the above point to

  explicit Recording(gpus::Gpu of) : gpu(std::move(of)), trace(gpu, 0, 0) {}
  Recording(const Recording&) = delete;

  Prediction predict(const Assumptions& assumptions = {}) const {
    return timing::predict(gpu, trace, result, occupancy, wavefront_size, assumptions);
  }
};

/// Writes one of the workgroups that were observed whole: the one that does most nearly what they
/// do on the average. The file is JSON under zstd. @throws Exception when the file cannot be
/// written.
void write(const std::string& file, const gpus::Gpu& gpu, const profile::LaunchTrace& trace,
           const engine::Result& result, const Occupancy& occupancy, std::uint32_t wavefront_size);

/// A file's bytes, or the JSON in it. @throws Exception when they are no recording.
std::unique_ptr<Recording> read(std::string_view bytes);

}  // namespace hipsight::timing
