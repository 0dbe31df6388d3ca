// Six kernels that stream through memory, one element a work-item, as RRZE-HPC/gpu-benches'
// gpu-stream has them.
#include <hip/hip_runtime.h>

#include <cstddef>

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

#define KERNEL(kind)                                                                            \
  template __global__ void stream<kind>(double*, const double* __restrict__,                    \
                                        const double* __restrict__, const double* __restrict__, \
                                        std::size_t, bool)
KERNEL(Kind::Init);
KERNEL(Kind::Read);
KERNEL(Kind::Scale);
KERNEL(Kind::Triad);
KERNEL(Kind::Stencil3);
KERNEL(Kind::Stencil5);
