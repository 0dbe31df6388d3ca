// Operations on rows, on a GPU.
#pragma once

#include "../status.h"
#include "problem.h"
#if defined(__HIP__) || defined(__CUDACC__)
#include "../device.h"
#endif

namespace hipsight::kernels {

#if defined(__HIP__) || defined(__CUDACC__)

template <class Operation, RowSize size>
HIPSIGHT_KERNEL(row_plan(size, arch::current).threads)
void row_kernel(Operation operation, int rows, int columns) {
  using Workgroup = RowWorkgroup<Operation, size>;
  __shared__ typename Workgroup::Shared shared;
  Workgroup::run(operation, rows, columns, shared, arch::workgroup());
}

template <RowSize size, class Operation>
Status launch_rows(Stream stream, const RowProblem<Operation>& problem, Architecture architecture) {
  const std::string name = Operation::name;
  const std::int64_t count =
      row_workgroups(size, architecture, Operation::whole_rows, problem.rows, problem.columns);
  if (count > INT32_MAX)
    return {name + ": " + std::to_string(problem.rows) + " rows of " +
            std::to_string(problem.columns) + " columns are more than one launch takes"};
  const std::string error = launch(row_kernel<Operation, size>, dim3(static_cast<unsigned>(count)),
                                   row_plan(size, architecture).threads, stream, problem.operation,
                                   problem.rows, problem.columns);
  return {error.empty() ? error : name + ": " + error};
}

/// With the team that suits the length of the rows.
template <class Operation>
Status run_rows(Stream stream, const RowProblem<Operation>& problem) {
  if (!problem.error.empty()) return {problem.error};
  if (problem.empty()) return {};
  const Device device = current_device();
  if (!device.error.empty()) return {std::string(Operation::name) + ": " + device.error};
  const Architecture on = device.architecture;
  const RowSize size = row_size(Operation::whole_rows, problem.columns, on);
  if (size == RowSize::lanes) return launch_rows<RowSize::lanes>(stream, problem, on);
  if constexpr (Operation::whole_rows) {
    if (size == RowSize::workgroup) return launch_rows<RowSize::workgroup>(stream, problem, on);
    if (size == RowSize::wide) return launch_rows<RowSize::wide>(stream, problem, on);
    if (size == RowSize::large) return launch_rows<RowSize::large>(stream, problem, on);
    if (size == RowSize::streamed) return launch_rows<RowSize::streamed>(stream, problem, on);
  }
  return launch_rows<RowSize::wave>(stream, problem, on);
}

inline constexpr int rope_threads = 256;

template <Pairing pairing, class T>
HIPSIGHT_KERNEL(rope_threads)
void rope_kernel(Rope<pairing, T> operation) {
  operation.run(arch::workgroup() * rope_threads + arch::thread());
}

template <Pairing pairing, class T>
Status run_rope(Stream stream, const RopeProblem<pairing, T>& problem) {
  if (!problem.error.empty()) return {problem.error};
  const std::int64_t items = problem.operation.items();
  if (items == 0) return {};
  const Device device = current_device();
  if (!device.error.empty()) return {"rope: " + device.error};
  const auto workgroups = static_cast<unsigned>((items + rope_threads - 1) / rope_threads);
  const std::string error =
      launch(rope_kernel<pairing, T>, dim3(workgroups), rope_threads, stream, problem.operation);
  return {error.empty() ? error : "rope: " + error};
}

#endif

}  // namespace hipsight::kernels
