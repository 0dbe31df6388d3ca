// Element types, vectors of them, and the word before every function of the library.
#pragma once

#if __cplusplus < 202002L
#error "hipsight's kernels need C++20: add -std=c++20"
#endif

#include <cstdint>

#if defined(__HIP__)
#include <hip/hip_runtime_api.h>
#elif defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

// Every function is compiled for the host, too: there it works on the scalar reference
// (arch/host.h). On a GPU all is one straight line.
#if defined(__CUDA_ARCH__)
#define HIPSIGHT_INLINE __host__ __device__ __forceinline__
#define HIPSIGHT_UNROLL _Pragma("unroll")
#define HIPSIGHT_UNROLL_BY_4 _Pragma("unroll 4")
#elif defined(__HIP_DEVICE_COMPILE__)
#define HIPSIGHT_INLINE __host__ __device__ inline __attribute__((always_inline))
#define HIPSIGHT_UNROLL _Pragma("unroll")
#define HIPSIGHT_UNROLL_BY_4 _Pragma("unroll 4")
#elif defined(__HIP__) || defined(__CUDACC__)
#define HIPSIGHT_INLINE __host__ __device__ inline
#define HIPSIGHT_UNROLL
#define HIPSIGHT_UNROLL_BY_4
#else
#define HIPSIGHT_INLINE inline
#define HIPSIGHT_UNROLL
#define HIPSIGHT_UNROLL_BY_4
#endif

// A kernel, whose workgroups have so many work-items. HIP's __launch_bounds__ comes with all of its
// headers for devices, which take longer to read than most kernels to compile.
#if defined(__HIP__)
#define HIPSIGHT_KERNEL(threads) __global__ __attribute__((amdgpu_flat_work_group_size(1, threads)))
#elif defined(__CUDACC__)
#define HIPSIGHT_KERNEL(threads) __global__ __launch_bounds__(threads)
#endif

namespace hipsight::kernels {

#if defined(__CUDACC__)
using f16 = __half;
using bf16 = __nv_bfloat16;
#else
using f16 = _Float16;
using bf16 = __bf16;
#endif
using f32 = float;

/// N values side by side, aligned to all of them: what one access moves. Clang's own vectors, of as
/// much as an instruction takes, stay whole in registers.
#if defined(__HIP_DEVICE_COMPILE__)
inline constexpr int register_bytes = 64;
#else
inline constexpr int register_bytes = 16;
#endif

namespace detail {
template <class T, int N>
struct alignas(sizeof(T) * N) Elements {
  T element[N];

  HIPSIGHT_INLINE constexpr T& operator[](int i) { return element[i]; }
  HIPSIGHT_INLINE constexpr const T& operator[](int i) const { return element[i]; }
};

template <class T, int N>
struct VectorOf {
  using Type = Elements<T, N>;
};
#if defined(__clang__)
template <class T, int N>
  requires(!__is_class(T) && sizeof(T) * N <= register_bytes)
struct VectorOf<T, N> {
  using Type = T __attribute__((ext_vector_type(N)));
};
#endif
}  // namespace detail

template <class T, int N>
using Vector = typename detail::VectorOf<T, N>::Type;

/// Every tile is made of chunks of 16 bytes: the widest access of every GPU.
inline constexpr int chunk_bytes = 16;
template <class T>
inline constexpr int chunk_size = chunk_bytes / static_cast<int>(sizeof(T));
template <class T>
using Chunk = Vector<T, chunk_size<T>>;

/// A number that is a type: std::integral_constant, but on GPUs, too.
template <int value>
struct Constant {
  HIPSIGHT_INLINE constexpr operator int() const { return value; }
};

/// f of 0, 1, ... count - 1, each a Constant.
template <int count, class F>
HIPSIGHT_INLINE void unroll(F f) {
  if constexpr (count > 0) {
    unroll<count - 1>(f);
    f(Constant<count - 1>{});
  }
}

HIPSIGHT_INLINE constexpr int most(int a, int b) {
  return a > b ? a : b;
}

/// n, of which the caller knows that it is not negative: the compiler then divides it by a power of
/// two in one instruction.
HIPSIGHT_INLINE constexpr int natural(int n) {
  if (n < 0) __builtin_unreachable();
  return n;
}

HIPSIGHT_INLINE constexpr int ceil_div(int a, int b) {
  return a / b + (a % b != 0);
}

}  // namespace hipsight::kernels
