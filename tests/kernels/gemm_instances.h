// The kernels of one element type, chosen at run time.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

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

/// A workspace of so many bytes, with any content.
class LentWorkspace {
 public:
  explicit LentWorkspace(std::size_t bytes) : words_(bytes / sizeof(unsigned)) {
    void* data = nullptr;
    if (hipMallocManaged(&data, bytes + behind * sizeof(unsigned), hipMemAttachGlobal) !=
        hipSuccess)
      return;
    data_.reset(static_cast<unsigned*>(data));
    std::fill_n(data_.get(), words_ + behind, before);
  }

  Workspace get() const { return {data_.get(), words_ * sizeof(unsigned)}; }

  /// What is wrong after a launch: memory behind it is written, or flags are left.
  std::string error() const {
    const std::span all(data_.get(), words_ + behind);
    const auto untouched = [](unsigned word) { return word == before; };
    if (!std::ranges::all_of(all.last(behind), untouched)) return "written beyond the workspace";
    const std::size_t flags = std::min(words_, DepthShares::flag_bytes / sizeof(unsigned));
    const bool none = std::ranges::all_of(
        all.first(flags), [](unsigned flag) { return flag == 0 || flag == before; });
    return none ? "" : "flags are left";
  }

 private:
  static constexpr unsigned before = 0xffffffff;  // a NaN
  static constexpr std::size_t behind = 1024;
  struct Free {
    void operator()(unsigned* data) const { (void)hipFree(data); }
  };
  std::size_t words_;
  std::unique_ptr<unsigned, Free> data_;
};

/// The error of a launch, of what it ran, or of what it left of its workspace.
inline std::string finish(const Status& status, const LentWorkspace& workspace) {
  const hipError_t error = hipDeviceSynchronize();
  if (!status) return status.error;
  return error == hipSuccess ? workspace.error() : hipGetErrorString(error);
}

/// In shares of the depth. On the host, one workgroup after the other: none may wait for those of
/// higher indices.
template <TileSize size, class A, class B, class Out, class E>
std::string run_in_shares(const GemmCase& test, const A& a, const B& b, Out* c, E epilogue) {
  const RowMajor<Out> of_c{c, test.m, test.n, test.c_stride, test.c_batch};
  const auto problem = gemm_problem(a, b, of_c, epilogue, test.batches);
  const auto on = test.on_host ? Architecture::host : current_device().architecture;
  const LentWorkspace workspace(workspace_bytes(problem.shape(), {size, test.shares}, on));
  const auto shared = problem.in_shares(test.shares, size, on, workspace.get());
  if (!test.on_host) return finish(launch_gemm<size, true>(nullptr, shared, on), workspace);
  run_on_host<size, true>(shared);
  return workspace.error();
}

/// In tiles of any size, by what gemm() launches; or by gemm() itself.
template <class A, class B, class Out, class E>
std::string run_in_tiles(const GemmCase& test, const A& a, const B& b, Out* c, E epilogue) {
  if (test.on_host) {
    constexpr auto large = TileSize::large, small = TileSize::small;
    const bool in_large = test.tiles == Tiles::large;
    if (test.shares > 0)
      return in_large ? run_in_shares<large>(test, a, b, c, epilogue)
                      : run_in_shares<small>(test, a, b, c, epilogue);
    return in_large ? run_with<large>(test, a, b, c, epilogue)
                    : run_with<small>(test, a, b, c, epilogue);
  }
  const RowMajor<Out> of_c{c, test.m, test.n, test.c_stride, test.c_batch};
  constexpr auto small = TileSize::small, tiny = TileSize::tiny;
  if (test.tiles == Tiles::chosen) {
    const LentWorkspace workspace(gemm_workspace(a, b, of_c, test.batches) + test.misaligned_by);
    Workspace given = workspace.get();
    given.data = static_cast<char*>(given.data) + test.misaligned_by;
    given.bytes -= test.misaligned_by;
    return finish(gemm(nullptr, a, b, of_c, epilogue, test.batches, given), workspace);
  }
  if (test.tiles == Tiles::chosen_without_workspace)
    return finish(gemm(nullptr, a, b, of_c, epilogue, test.batches), LentWorkspace(0));
  if (test.tiles == Tiles::chosen_of_two) {
    const LentWorkspace workspace(gemm_workspace<small, tiny>(a, b, of_c, test.batches));
    return finish(gemm<small, tiny>(nullptr, a, b, of_c, epilogue, test.batches, workspace.get()),
                  workspace);
  }
  const auto problem = gemm_problem(a, b, of_c, epilogue, test.batches);
  if (std::string error = problem.error(); !error.empty() || problem.empty()) return error;
  const Architecture on = current_device().architecture;
  const GemmPlan plan{static_cast<TileSize>(test.tiles), test.shares};
  const LentWorkspace workspace(workspace_bytes(problem.shape(), plan, on));
  return finish(launch_gemm(nullptr, problem, plan, workspace.get(), on), workspace);
}

}  // namespace hipsight::kernels
