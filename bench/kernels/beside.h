// Our kernels beside public ones, in the same model.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "table.h"

namespace hipsight::bench {

/// What is predicted of launches, one after the other. Seconds: as the model is; with its latencies
/// 0.8 and 1.2 times as long; with its bandwidths 0.8 and 1.2 times as wide.
struct Forecast {
  std::array<double, 5> seconds{};
  std::string bound;  ///< of the launch that takes longest
};
/// From recordings (validation/recordings.h).
Forecast forecast(const std::vector<std::string>& recordings);

/// The same work for one of our programs and for somebody else's kernel.
struct Contest {
  std::string gpu, against;  ///< "Triton, matmul in f16": of which the bench gives the geomean
  std::string shape;
  std::string ours;                     ///< a program of build/bench with its arguments
  std::string observed = "--sample 1";  ///< which workgroups of it
  Forecast theirs;
};

/// Of each: their time over ours. Then the geomean of each opponent on a GPU, and in how many ours
/// is quicker, however the model's constants are scaled.
void add_beside(const std::vector<Contest>& contests, std::vector<Row>& rows);

/// Triton's own matmul and attention, of its tutorials: the best of the configurations that
/// their autotuners try. From recordings (bench/kernels/triton).
std::vector<Contest> triton_contests(const std::string& gpu);
/// Makes those recordings that are missing, from a checkout of Triton, in build/triton-venv (`./dev
/// triton`), if it is one of the GPUs that Triton's kernels are recorded on.
void record_triton(const std::string& source, const std::string& gpu);

/// The assembly GEMMs of the validation set, in bf16 and fp8, at some of their own shapes.
std::vector<Contest> assembly_contests(const std::string& gpu);

}  // namespace hipsight::bench
