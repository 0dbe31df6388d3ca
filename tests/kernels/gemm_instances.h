// The kernels of one element type, chosen at run time.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "gemm_case.h"
#include "hipsight/kernels/gemm.h"
#include "hipsight/kernels/gemm/on_host.h"

namespace hipsight::kernels {

inline constexpr const char* no_such_kernel = "no such kernel here";

template <Order order, class T>
Matrix<const T, order> a_of(const GemmCase& test, const T* a) {
  return {a, test.m, test.k, test.a_stride, test.a_batch};
}
template <Order order, class T>
Matrix<const T, order> b_of(const GemmCase& test, const T* b) {
  return {b, test.k, test.n, test.b_stride, test.b_batch};
}

/// A case whose operands are known.
template <TileSize size, class A, class B, class Out, class E>
std::string run_with(const GemmCase& test, const A& a, const B& b, Out* c, E epilogue) {
  const RowMajor<Out> of_c{c, test.m, test.n, test.c_stride, test.c_batch};
  if (test.on_host) return gemm_on_host<size>(a, b, of_c, epilogue, test.batches).error;
  const auto problem = gemm_problem(a, b, of_c, epilogue, test.batches);
  if (std::string error = problem.error(); !error.empty()) return error;
  const Device device = current_device();
  if (!device.error.empty()) return device.error;
  if (!problem.empty()) {
    const Status status = launch_gemm<size>(nullptr, problem, device.architecture);
    if (!status) return status.error;
  }
  const hipError_t error = hipDeviceSynchronize();
  return error == hipSuccess ? "" : hipGetErrorString(error);
}

/// A case whose template arguments are known.
template <Order order_a, Order order_b, class Out, TileSize size, class T, class E>
std::string run_as(const GemmCase& test, const T* a, const T* b, Out* c, E epilogue) {
  return run_with<size>(test, a_of<order_a>(test, a), b_of<order_b>(test, b), c, epilogue);
}

/// One for all cases, with any content.
inline Workspace one_workspace() {
  static const Workspace workspace = [] {
    Workspace one{nullptr, std::size_t{32} << 20};
    if (hipMalloc(&one.data, one.bytes) != hipSuccess ||
        hipMemset(one.data, 0xff, one.bytes) != hipSuccess)
      one = {};
    return one;
  }();
  return workspace;
}

/// The same in shares of the depth. On the host, one workgroup after the other: none may wait for
/// those of higher indices.
template <TileSize size, class A, class B, class Out, class E>
std::string run_in_shares(const GemmCase& test, const A& a, const B& b, Out* c, E epilogue) {
  const RowMajor<Out> of_c{c, test.m, test.n, test.c_stride, test.c_batch};
  const auto problem = gemm_problem(a, b, of_c, epilogue, test.batches);
  const GemmPlan plan{size, test.shares};
  if (test.on_host) {
    constexpr unsigned before = 0xffffffff;  // a NaN
    std::vector<unsigned> memory(
        workspace_bytes(problem, plan, Architecture::host) / sizeof(unsigned), before);
    const Workspace workspace{memory.data(), memory.size() * sizeof(unsigned)};
    run_on_host<size, true>(problem.in_shares(plan.shares, size, Architecture::host, workspace));
    const std::span flags = std::span(memory).first(DepthShares::flag_bytes / sizeof(unsigned));
    return std::ranges::all_of(flags, [](unsigned flag) { return flag == 0 || flag == before; })
               ? ""
               : "flags are left";
  }
  const Architecture architecture = current_device().architecture;
  const Workspace workspace = one_workspace();
  if (workspace_bytes(problem, plan, architecture) > workspace.bytes) return "too little workspace";
  const auto shared = problem.in_shares(plan.shares, size, architecture, workspace);
  const Status status = launch_gemm<size, true>(nullptr, shared, architecture);
  const hipError_t error = hipDeviceSynchronize();
  if (!status) return status.error;
  return error == hipSuccess ? "" : hipGetErrorString(error);
}

}  // namespace hipsight::kernels
