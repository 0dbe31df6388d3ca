#pragma once

#include <span>
#include <string>
#include <vector>

#include "hipsight/values.h"

namespace hipsight::report {

/// One side of a comparison: what a program did on a GPU.
struct Side {
  std::string name;  ///< what tells it from the others: "b: ./tiled 1024"
  RunReport report;
};

/// How sides may differ.
enum class Differs {
  Gpu,      ///< the same program on several GPUs
  Program,  ///< two programs, builds or launches on one GPU
};

/// A kernel on the sides; null where it did not run.
struct ComparedKernel {
  std::string title;
  std::vector<const KernelReport*> on;
};

/// Kernels of the same name are the same, in the order of their launches; if that leaves one on
/// each of two sides, then those two are. The most time first.
std::vector<ComparedKernel> pair_kernels(std::span<const Side> sides);

/// Why the sides cannot be compared, in a line; empty: they can.
std::string why_not(std::span<const Side> sides, Differs how);

/// What differs between the sides in time, in what units do, in figures and lines, and why: for
/// people, kernel by kernel (docs/compare.md).
std::string compare_text(std::span<const Side> sides, Differs how);
/// The same for programs: docs/report-schema.md.
std::string compare_json(std::span<const Side> sides, Differs how);

}  // namespace hipsight::report
