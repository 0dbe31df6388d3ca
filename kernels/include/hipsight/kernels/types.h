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
#if defined(__HIP__)  // unrolled by the compiler's own choice, some kernels take it minutes
#define HIPSIGHT_UNROLL _Pragma("nounroll")
#define HIPSIGHT_UNROLL_BY_4 _Pragma("nounroll")
#else
#define HIPSIGHT_UNROLL
#define HIPSIGHT_UNROLL_BY_4
#endif
#else
#define HIPSIGHT_INLINE inline
#define HIPSIGHT_UNROLL
#define HIPSIGHT_UNROLL_BY_4
#endif

// A function of the host that compilers are to leave where it is: in each of its callers it would
// only take them time.
#define HIPSIGHT_APART __attribute__((noinline))

// A kernel, whose workgroups have so many work-items. HIP's __launch_bounds__ comes with all of its
// headers for devices, which take longer to read than most kernels to compile. The host only starts
// kernels: where HIPSIGHT_STARTS_ONLY, they need no body, which would take it as long to
// understand.
#if defined(__HIP_DEVICE_COMPILE__)
#define HIPSIGHT_KERNEL(threads) __global__ __attribute__((amdgpu_flat_work_group_size(1, threads)))
#elif defined(__HIP__)
#define HIPSIGHT_STARTS_ONLY
#define HIPSIGHT_KERNEL(threads) __global__
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

/// Count values side by side, aligned to all of them: what one access moves. Clang's own vectors,
/// of as much as an instruction takes, stay whole in registers.
#if defined(__HIP_DEVICE_COMPILE__)
inline constexpr int register_bytes = 64;
#else
inline constexpr int register_bytes = 16;
#endif

namespace detail {
template <class Value, int Count>
struct alignas(sizeof(Value) * Count) Elements {
  Value element[Count];

  HIPSIGHT_INLINE constexpr Value& operator[](int i) { return element[i]; }
  HIPSIGHT_INLINE constexpr const Value& operator[](int i) const { return element[i]; }
};

template <class Value, int Count>
struct VectorOf {
  using Type = Elements<Value, Count>;
};
#if defined(__clang__)
template <class Value, int Count>
  requires(!__is_class(Value) && sizeof(Value) * Count <= register_bytes)
struct VectorOf<Value, Count> {
  using Type = Value __attribute__((ext_vector_type(Count)));
};
#endif
}  // namespace detail

template <class Value, int Count>
using Vector = typename detail::VectorOf<Value, Count>::Type;

/// Every tile is made of chunks of 16 bytes: the widest access of every GPU.
inline constexpr int chunk_bytes = 16;
template <class Value>
inline constexpr int chunk_size = chunk_bytes / static_cast<int>(sizeof(Value));
template <class Value>
using Chunk = Vector<Value, chunk_size<Value>>;

/// A number that is a type: std::integral_constant, but on GPUs, too.
template <int value>
struct Constant {
  HIPSIGHT_INLINE constexpr operator int() const { return value; }
};

/// f of 0, 1, ... count - 1, each a Constant.
template <int count, class Function>
HIPSIGHT_INLINE void unroll(Function f) {
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
