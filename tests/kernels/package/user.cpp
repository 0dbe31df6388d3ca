// 2 x 3 times 3 x 2 on the scalar reference.
#include <cstdio>

#include "hipsight/kernels/gemm/on_host.h"

int main() {
  using namespace hipsight::kernels;
  const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 0, 1, 1, 1};
  float c[4];
  const Status status =
      gemm_on_host(RowMajor<const float>{a, 2, 3, 3}, RowMajor<const float>{b, 3, 2, 2},
                   RowMajor<float>{c, 2, 2, 2});
  const bool right = c[0] == 4 && c[1] == 5 && c[2] == 10 && c[3] == 11;
  std::printf("%s%s\n", status.error.c_str(), right ? "right" : "wrong");
  return status && right ? 0 : 1;
}
