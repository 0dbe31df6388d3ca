// The same on the scalar reference, on the host.
#pragma once

#include <vector>

#include "../rows/on_host.h"
#include "problem.h"

namespace hipsight::kernels {

template <class Operation, class Value>
Status run_norm_backward_on_host(const NormBackwardProblem<Operation, Value>& problem) {
  if (!problem.error.empty()) return {problem.error};
  const int rows = problem.rows(), columns = problem.columns();
  if (rows == 0 || columns == 0) return {};
  using Workgroup = NormBackwardWorkgroup<Operation, RowSize::large>;
  const int workgroups = std::min(rows, 3);
  std::vector<float> sums(static_cast<std::size_t>(workgroups * columns * Operation::sums));
  typename Workgroup::Shared shared;
  const RowMajor<float> left{sums.data(), workgroups, columns, columns};
  for (int workgroup = 0; workgroup < workgroups; workgroup++)
    Workgroup::run(problem.operation, rows, columns, left, shared, workgroup, workgroups);
  for (int i = 0; i < Operation::sums; i++) {
    using Columns = ColumnSumsWorkgroup<Value>;
    typename Columns::Shared of_columns;
    for (int column = 0; column < columns; column++)
      Columns::run({sums.data() + static_cast<std::ptrdiff_t>(i) * workgroups * columns, workgroups,
                    columns, columns},
                   problem.d_weights[i], of_columns, column);
  }
  return {};
}

}  // namespace hipsight::kernels
