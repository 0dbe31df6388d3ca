// The kernels of an operation on rows, chosen at run time.
#pragma once

#include "finish.h"
#include "hipsight/kernels/rows.h"
#include "hipsight/kernels/rows/on_host.h"
#include "rows_case.h"

namespace hipsight::kernels {

/// A case whose template arguments are known, with one of these teams.
template <RowSize... sizes, class Operation>
std::string run_as(const RowCase& test, const RowProblem<Operation>& problem) {
  if (test.on_host) return run_rows_on_host(problem).error;
  if (!problem.error.empty()) return problem.error;
  Status status{"no such kernel here"};
  const auto run = [&]<RowSize size>() {
    if (static_cast<int>(size) != static_cast<int>(test.workers)) return;
    status = {};
    if (!problem.empty())
      status = launch_rows<size>(nullptr, problem, current_device().architecture);
  };
  (run.template operator()<sizes>(), ...);
  return finish(status);
}

template <class T>
RowMajor<const T> input(const RowCase& test, const void* data) {
  return {static_cast<const T*>(data), test.rows, test.columns, test.stride};
}

template <class T>
RowMajor<T> output(const RowCase& test, void* data) {
  return {static_cast<T*>(data), test.rows, test.columns, test.stride};
}

template <class T>
RowMajor<T> block_scales(const RowCase& test) {
  const int blocks = ceil_div(test.columns, PerBlock<T>::columns);
  return {test.scales, test.rows, blocks, blocks};
}

}  // namespace hipsight::kernels
