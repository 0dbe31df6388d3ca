// The softmax of a row of the same values, on a GPU.
#include <hip/hip_runtime.h>

#include <cstdio>

#include "hipsight/kernels/rows.h"

int main() {
  using namespace hipsight::kernels;
  constexpr int columns = 8;
  float *x, *y;
  if (hipMallocManaged(&x, sizeof(float) * columns) != hipSuccess ||
      hipMallocManaged(&y, sizeof(float) * columns) != hipSuccess)
    return 1;
  for (int i = 0; i < columns; i++) x[i] = 3;
  const Status status = softmax(nullptr, RowMajor<const float>{x, 1, columns, columns},
                                RowMajor<float>{y, 1, columns, columns}, 1);
  bool right = status && hipDeviceSynchronize() == hipSuccess;
  for (int i = 0; right && i < columns; i++) right = y[i] == 1.0f / columns;
  std::printf("%s%s\n", status.error.c_str(), right ? "right" : "wrong");
  return right ? 0 : 1;
}
