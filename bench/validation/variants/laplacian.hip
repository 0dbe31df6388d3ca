// Launches the kernel of amd/amd-lab-notes' finite-difference/examples whose header is included
// before this: the Laplacian of 512^3 doubles, in workgroups of 256, as parts 1 to 3 of its text
// measure it.
#include <hip/hip_runtime.h>

int main() {
  constexpr std::size_t n = 512;
  double *f = nullptr, *u = nullptr;
  if (hipMalloc(&f, n * n * n * sizeof(double)) != hipSuccess ||
      hipMalloc(&u, n * n * n * sizeof(double)) != hipSuccess)
    return 1;
  constexpr double h = 1.0 / (n - 1);
  laplacian(f, u, n, n, n, 256, 1, 1, h, h, h);
  return hipDeviceSynchronize() != hipSuccess;
}
