// Six kernels that stream through memory, one element a work-item, as RRZE-HPC/gpu-benches'
// gpu-stream has them: `stream BLOCK WORKGROUPS ELEMENTS`. Dynamic LDS keeps a compute unit at so
// many workgroups.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

enum class Kind { Init, Read, Scale, Triad, Stencil3, Stencil5 };

// `never` is false; the compiler does not know, so that the LDS stays.
template <Kind kind>
__global__ void stream(double* a, const double* __restrict__ b, const double* __restrict__ c,
                       const double* __restrict__ d, std::size_t n, bool never) {
  extern __shared__ double spare[];
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  constexpr int margin = kind == Kind::Stencil5 ? 2 : kind == Kind::Stencil3 ? 1 : 0;
  if (static_cast<std::size_t>(i) >= n - margin || i < margin) return;
  if (never) spare[threadIdx.x] = b[threadIdx.x];
  if constexpr (kind == Kind::Init) a[i] = 0.23;
  if constexpr (kind == Kind::Scale) a[i] = b[i] * 1.2;
  if constexpr (kind == Kind::Triad) a[i] = b[i] * d[i] + c[i];
  if constexpr (kind == Kind::Stencil3) a[i] = 0.5 * b[i - 1] - b[i] + 0.5 * b[i + 1];
  if constexpr (kind == Kind::Stencil5)
    a[i] = 0.25 * b[i - 2] + 0.25 * b[i - 1] - b[i] + 0.5 * b[i + 1] + 0.5 * b[i + 2];
  if constexpr (kind == Kind::Read) {
    const double value = b[i];
    if (never || value == 123.0) a[i] = value + spare[i];
  } else {
    if (never) a[i] = spare[i];
  }
}

void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "stream: %s\n", hipGetErrorString(error));
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "stream BLOCK WORKGROUPS ELEMENTS\n");
    return 2;
  }
  const int block = std::atoi(argv[1]), workgroups = std::atoi(argv[2]);
  const std::size_t n = std::strtoull(argv[3], nullptr, 10);
  hipDeviceProp_t device;
  check(hipGetDeviceProperties(&device, 0));
  const std::size_t lds = device.sharedMemPerBlock / workgroups / 512 * 512;
  double* arrays[4];
  for (double*& array : arrays) check(hipMalloc(&array, n * sizeof(double)));
  const auto run = [&](auto kernel) {
    kernel<<<n / block + 1, block, lds>>>(arrays[0], arrays[1], arrays[2], arrays[3], n, false);
    check(hipDeviceSynchronize());
  };
  run(stream<Kind::Init>);
  run(stream<Kind::Read>);
  run(stream<Kind::Scale>);
  run(stream<Kind::Triad>);
  run(stream<Kind::Stencil3>);
  run(stream<Kind::Stencil5>);
}
