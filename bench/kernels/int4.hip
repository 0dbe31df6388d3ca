// A GEMM of weights in 4 bits, for `hipsight predict`.
//   kernels_int4_launch M N K GROUP
#include <cstdio>
#include <cstdlib>

#include "hipsight/kernels/int4_gemm.h"

using namespace hipsight::kernels;

template <class T>
T* allocate(std::size_t count) {
  void* data = nullptr;
  if (hipMalloc(&data, count * sizeof(T)) != hipSuccess) std::exit(1);
  return static_cast<T*>(data);
}

int main(int argc, char** argv) {
  const auto number = [&](int i) { return i < argc ? std::atoi(argv[i]) : 0; };
  const int m = number(1), n = number(2), k = number(3), group = number(4);
  if (m < 1 || n < 1 || k < 32 || group < 32) {
    std::fprintf(stderr, "kernels_int4_launch: M N K GROUP\n");
    return 1;
  }
  const auto area = [](int a, int b) { return std::size_t(a) * b; };
  const RowMajor<const f16> a{allocate<f16>(area(m, k)), m, k, k};
  const RowMajor<f16> c{allocate<f16>(area(m, n)), m, n, n};
  const Int4Weights<f16> b{allocate<std::uint32_t>(area(n, k / 8)),
                           allocate<Int4Factors<f16>>(area(n, k / group)), k, n, group};
  const std::size_t bytes = int4_gemm_workspace(a, b, c);
  const Status status = int4_gemm(nullptr, a, b, c, Identity{},
                                  Workspace{bytes ? allocate<char>(bytes) : nullptr, bytes});
  if (!status) std::fprintf(stderr, "%s\n", status.error.c_str());
  return status && hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
