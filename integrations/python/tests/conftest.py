import numpy as np
import pytest

import hipsight

SOURCE = """
#include <hip/hip_runtime.h>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
template <class T>
__global__ void fill(T* to, T value) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
template __global__ void fill<int>(int*, int);
template __global__ void fill<double>(double*, double);

struct Pair { int x, y; };
__global__ void echo(bool a, signed char b, unsigned short c, unsigned d, long long e, _Float16 f, float g, double h,
                     Pair i, double* to) {
  const double all[] = {double(a), double(b), double(c), double(d), double(e), double(f), double(g), h,
                        double(i.x), double(i.y)};
  for (int n = 0; n < 10; ++n) to[n] = all[n];
}
extern "C" __global__ void add(int n, float by, float* const* arrays) {
  arrays[blockIdx.x][threadIdx.x] += by * n;
}
__global__ void trap(int code) {
  if (code) __builtin_trap();
}
__device__ int counter = 5;
__global__ void count() {
  atomicAdd(&counter, 1);
}
"""


@pytest.fixture(scope="session", params=["mi300x", "rx7900xtx"])
def gpu(request):
    return hipsight.Gpu(request.param)


@pytest.fixture(scope="session")
def module(gpu):
    return gpu.compile(SOURCE)


@pytest.fixture(scope="session")
def code():
    """A code object for the MI300X."""
    return hipsight.compile(SOURCE, gpu="mi300x")


@pytest.fixture
def random():
    return np.random.default_rng(1)
