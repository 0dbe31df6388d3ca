// What the programs that launch GEMMs share.
#pragma once

#include <cstdio>
#include <cstdlib>

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

/// As the library would do it, with all the workspace that it asks for.
template <class A, class B, class C>
Status quickest(const A& a, const B& b, const C& c) {
  Workspace workspace{nullptr, gemm_workspace(a, b, c)};
  if (workspace.bytes && hipMalloc(&workspace.data, workspace.bytes) != hipSuccess) std::exit(1);
  return gemm(nullptr, a, b, c, Identity{}, 1, workspace);
}

/// A program's exit status.
inline int ended(const Status& status) {
  if (!status) std::fprintf(stderr, "%s\n", status.error.c_str());
  return status && hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
