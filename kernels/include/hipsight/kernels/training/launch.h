// Gradients of norms, on a GPU.
#pragma once

#include "../rows/launch.h"
#include "problem.h"

namespace hipsight::kernels {

#if defined(__HIP__) || defined(__CUDACC__)

template <class Operation, RowSize size>
HIPSIGHT_KERNEL(norm_backward_plan(size, arch::current, Operation::most_parts).threads)
void norm_backward_kernel([[maybe_unused]] Operation operation, [[maybe_unused]] int rows,
                          [[maybe_unused]] int columns, [[maybe_unused]] RowMajor<float> left,
                          [[maybe_unused]] int workgroups) {
#ifndef HIPSIGHT_STARTS_ONLY
  using Workgroup = NormBackwardWorkgroup<Operation, size>;
  __shared__ typename Workgroup::Shared shared;
  Workgroup::run(operation, rows, columns, left, shared, arch::workgroup(), workgroups);
#endif
}

inline constexpr int column_sums_threads = 1024;

template <class Value>
HIPSIGHT_KERNEL(column_sums_threads)
void column_sums_kernel([[maybe_unused]] RowMajor<const float> in, [[maybe_unused]] Value* out) {
#ifndef HIPSIGHT_STARTS_ONLY
  using Workgroup = ColumnSumsWorkgroup<Value>;
  __shared__ typename Workgroup::Shared shared;
  Workgroup::run(in, out, shared, arch::workgroup());
#endif
}

/// The bytes of workspace that the gradients of a norm of rows by columns need.
template <class Operation>
std::size_t norm_backward_workspace(int rows, int columns) {
  const Device device = current_device();
  if (!device.error.empty() || rows <= 0 || columns <= 0) return 0;
  return NormBackwardLaunch::of<Operation>(rows, columns, device.architecture, device.compute_units)
      .bytes(columns, Operation::sums);
}

/// Starts the kernel of a norm's gradients, and one for each sum over rows.
template <RowSize size, class Problem>
std::string start_norm_backward(Stream stream, const Problem& problem,
                                const NormBackwardLaunch& plan, Architecture on) {
  using Operation = typename Problem::Operation;
  const int columns = problem.columns();
  auto* const data = static_cast<float*>(problem.workspace.data);
  const RowMajor<float> left{data, plan.teams, columns, columns};
  std::string error =
      launch(norm_backward_kernel<Operation, size>, {plan.workgroups}, plan.threads, stream,
             problem.operation, problem.rows(), columns, left, static_cast<int>(plan.workgroups));
  for (int i = 0; i < Operation::sums && error.empty(); i++) {
    const RowMajor<const float> sums{data + static_cast<std::int64_t>(i) * plan.teams * columns,
                                     plan.teams, columns, columns};
    error =
        launch(column_sums_kernel<typename Problem::Element>, {ceil_div(columns, facts(on).wave)},
               column_sums_threads, stream, sums, problem.d_weights[i]);
  }
  return error;
}

template <class Problem>
Status run_norm_backward(Stream stream, const Problem& problem) {
  using Operation = typename Problem::Operation;
  if (!problem.error.empty()) return {problem.error};
  const std::string name = Operation::name;
  const Device device = current_device();
  if (!device.error.empty()) return {name + ": " + device.error};
  if (problem.rows() == 0 || problem.columns() == 0) return {};
  const Architecture on = device.architecture;
  const auto plan = NormBackwardLaunch::of<Operation>(problem.rows(), problem.columns(), on,
                                                      device.compute_units);
  const std::size_t needed = plan.bytes(problem.columns(), Operation::sums);
  if (!problem.workspace.data || problem.workspace.bytes < needed)
    return {name + ": the workspace has " + std::to_string(problem.workspace.bytes) + " of " +
            std::to_string(needed) + " bytes"};
  const auto start = [&]<RowSize size>() {
    return start_norm_backward<size>(stream, problem, plan, on);
  };
  std::string error;
  switch (plan.size) {
    case RowSize::lanes:
      error = start.template operator()<RowSize::lanes>();
      break;
    case RowSize::workgroup:
      error = start.template operator()<RowSize::workgroup>();
      break;
    case RowSize::wide:
      error = start.template operator()<RowSize::wide>();
      break;
    default:
      error = start.template operator()<RowSize::large>();
  }
  return {error.empty() ? error : name + ": " + error};
}

#endif

}  // namespace hipsight::kernels
