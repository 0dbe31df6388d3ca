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
void row_kernel([[maybe_unused]] Operation operation, [[maybe_unused]] int rows,
                [[maybe_unused]] int columns) {
#ifndef HIPSIGHT_STARTS_ONLY
  using Workgroup = RowWorkgroup<Operation, size>;
  __shared__ typename Workgroup::Shared shared;
  Workgroup::run(operation, rows, columns, shared, arch::workgroup());
#endif
}

template <RowSize size, class Operation>
Status launch_rows(Stream stream, const RowProblem<Operation>& problem, Architecture architecture) {
  const std::string name = Operation::name;
  const std::int64_t count =
      row_workgroups(size, architecture, Operation::whole_rows, problem.rows, problem.columns);
  const std::string error =
      launch(row_kernel<Operation, size>, {count}, row_plan(size, architecture).threads, stream,
             problem.operation, problem.rows, problem.columns);
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

template <Pairing pairing, class Value>
HIPSIGHT_KERNEL(rope_threads)
void rope_kernel([[maybe_unused]] Rope<pairing, Value> operation) {
#ifndef HIPSIGHT_STARTS_ONLY
  operation.run(arch::workgroup() * rope_threads + arch::thread());
#endif
}

template <Pairing pairing, class Value>
Status run_rope(Stream stream, const RopeProblem<pairing, Value>& problem) {
  if (!problem.error.empty()) return {problem.error};
  const std::int64_t items = problem.operation.items();
  if (items == 0) return {};
  const Device device = current_device();
  if (!device.error.empty()) return {"rope: " + device.error};
  const std::string error =
      launch(rope_kernel<pairing, Value>, {(items + rope_threads - 1) / rope_threads}, rope_threads,
             stream, problem.operation);
  return {error.empty() ? error : "rope: " + error};
}

#endif

}  // namespace hipsight::kernels
