// Launches the kernel of amd/amd-lab-notes' finite-difference/examples whose header is included
// before this: the Laplacian of a cube of doubles.
//   laplacian EDGE X Z    in workgroups of X x 1 x Z
#include <hip/hip_runtime.h>

#include <cstdlib>

int main(int, char** argv) {
  const int n = std::atoi(argv[1]);
  const std::size_t bytes = std::size_t(n) * n * n * sizeof(double);
  double *f = nullptr, *u = nullptr;
  if (hipMalloc(&f, bytes) != hipSuccess || hipMalloc(&u, bytes) != hipSuccess) return 1;
  const double h = 1.0 / (n - 1);
  laplacian(f, u, n, n, n, std::atoi(argv[2]), 1, std::atoi(argv[3]), h, h, h);
  return hipDeviceSynchronize() != hipSuccess;
}
