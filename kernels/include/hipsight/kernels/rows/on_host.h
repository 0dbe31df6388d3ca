// The same operations on rows on the scalar reference: one workgroup after the other, on the host.
#pragma once

#include "../status.h"
#include "problem.h"

namespace hipsight::kernels {

template <RowSize size, class Operation>
void run_workgroups_on_host(const RowProblem<Operation>& problem) {
  using Workgroup = RowWorkgroup<Operation, size>;
  typename Workgroup::Shared shared;
  const std::int64_t count = row_workgroups(size, Architecture::host, Operation::whole_rows,
                                            problem.rows, problem.columns);
  for (std::int64_t workgroup = 0; workgroup < count; workgroup++)
    Workgroup::run(problem.operation, problem.rows, problem.columns, shared,
                   static_cast<int>(workgroup));
}

/// As the call whose problem it is, with host memory: `run_rows_on_host(softmax_problem(x, y, 1))`.
template <class Operation>
Status run_rows_on_host(const RowProblem<Operation>& problem) {
  if (!problem.error.empty()) return {problem.error};
  if (problem.empty()) return {};
  if (problem.columns <= held_columns(RowSize::large, Architecture::host))
    run_workgroups_on_host<RowSize::large>(problem);
  else
    run_workgroups_on_host<RowSize::streamed>(problem);
  return {};
}

template <Pairing pairing, class Value>
Status run_rows_on_host(const RopeProblem<pairing, Value>& problem) {
  if (!problem.error.empty()) return {problem.error};
  for (int item = 0; item < problem.operation.items(); item++) problem.operation.run(item);
  return {};
}

}  // namespace hipsight::kernels
