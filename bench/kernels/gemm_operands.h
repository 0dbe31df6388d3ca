// What the programs that launch GEMMs share.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hipsight/kernels/gemm.h"

using namespace hipsight::kernels;

template <class T>
T* allocate(int rows, int columns) {
  void* data = nullptr;
  if (hipMalloc(&data, sizeof(T) * rows * columns) != hipSuccess) std::exit(1);
  return static_cast<T*>(data);
}

template <class In, class Out>
struct Operands {
  RowMajor<const In> a;
  ColumnMajor<const In> b;
  RowMajor<Out> c;

  Operands(int m, int n, int k)
      : a{allocate<In>(m, k), m, k, k},
        b{allocate<In>(n, k), k, n, k},
        c{allocate<Out>(m, n), m, n, n} {}
};

inline Workspace workspace_of(std::size_t bytes) {
  Workspace workspace{nullptr, bytes};
  if (bytes && hipMalloc(&workspace.data, bytes) != hipSuccess) std::exit(1);
  return workspace;
}

/// As the library would do it, with all the workspace that it asks for; or, if a size is named, in
/// tiles of it and so many shares of their depth (0: each tile is one workgroup's).
template <class A, class B, class C>
Status run(const A& a, const B& b, const C& c, const std::string& size, int shares) {
  if (size.empty())
    return gemm(nullptr, a, b, c, Identity{}, 1, workspace_of(gemm_workspace(a, b, c)));
  const auto problem = gemm_problem(a, b, c, Identity{}, 1);
  const std::string sizes[] = {"large", "medium", "small", "tiny"};  // as in TileSize
  const auto* const known = std::ranges::find(sizes, size);
  if (known == std::end(sizes))
    return {"'" + size + "' is no size of tiles: it must be large, medium, small or tiny"};
  const GemmPlan plan{static_cast<TileSize>(known - sizes), shares};
  const Architecture architecture = current_device().architecture;
  return launch_gemm(nullptr, problem, plan,
                     workspace_of(workspace_bytes(problem.shape(), plan, architecture)),
                     architecture);
}

/// f of a number in the GPU's own encoding of fp8.
template <class F>
Status in_own_fp8(F f) {
  return current_device().architecture == Architecture::cdna3 ? f(fp8_e4m3_fnuz{}) : f(fp8_e4m3{});
}

/// A program's exit status.
inline int ended(const Status& status) {
  if (!status) std::fprintf(stderr, "%s\n", status.error.c_str());
  return status && hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
