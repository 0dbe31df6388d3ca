#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "hipsight/gpu.h"

namespace hipsight::bench {

/// One measured bandwidth, and what models say of it. Bytes per second, of the bytes that must
/// move.
struct Point {
  std::string gpu, kernel, shape;
  double measured = 0, predicted = 0;
  double specified_roof = 0, measured_roof = 0;
  std::string family = {};        ///< of kernels
  std::string model_family = {};  ///< that the model takes it for: timing/validated.h
  bool fitted = false;            ///< whether constants of the model may be fitted on it
};

/// One launch of each kernel of stream.hip.
struct Stream {
  std::size_t block, workgroups;  ///< of a compute unit
  std::size_t elements;
};
std::vector<KernelReport> stream_launches(const std::string& gpu, const Stream& of,
                                          LaunchConfig how);

/// RRZE-HPC/gpu-benches' gpu-stream (stream.csv), of each `every` rows one.
std::vector<Point> stream_points(std::size_t every = 1);

/// Its benchmarks of caches, latency and small launches (memory/*.csv), the same.
std::vector<Point> memory_points(std::size_t every = 1);

/// Counters of rocprofiler-compute's vcopy (vcopy.csv): absolute errors in percent, which it
/// prints.
std::vector<double> vcopy_errors();

/// How far predictions are off those that are made of all workgroups of a launch, each instruction
/// of a compute unit simulated: percent. Prints them.
struct SamplingError {
  double usual;  ///< with the usual sample
  double few;    ///< with 16 workgroups
  double begin;  ///< with a million instructions simulated, the rest extrapolated
};
std::vector<SamplingError> sampling_errors();

}  // namespace hipsight::bench
