// NVIDIA from sm_80 on.
#pragma once

#if __CUDA_ARCH__ < 800
#error "hipsight's kernels need sm_80 or later: bf16 and its matrix instructions"
#endif

#include "architecture.h"
#include "lane_fma.h"
#include "no_fp8.h"

namespace hipsight::kernels::arch {

inline constexpr Architecture current = Architecture::ampere;

template <int dimension = 0>
HIPSIGHT_INLINE int workgroup() {
  return static_cast<int>(dimension == 0 ? blockIdx.x : dimension == 1 ? blockIdx.y : blockIdx.z);
}

HIPSIGHT_INLINE int thread() {
  return static_cast<int>(threadIdx.x);
}

HIPSIGHT_INLINE int uniform(int x) {
  return x;
}

template <bool = false>
HIPSIGHT_INLINE void barrier() {
  __syncthreads();
}

HIPSIGHT_INLINE void wave_barrier() {
  __syncwarp();
}

HIPSIGHT_INLINE void publish() {
  __threadfence();
}
HIPSIGHT_INLINE void refresh() {
  __threadfence();
}
HIPSIGHT_INLINE void set_flag(unsigned* flag, unsigned value) {
  *static_cast<volatile unsigned*>(flag) = value;
}
HIPSIGHT_INLINE unsigned read_flag(const unsigned* flag) {
  return *static_cast<const volatile unsigned*>(flag);
}
HIPSIGHT_INLINE void pause() {
  __nanosleep(100);
}

/// NVIDIA's waves have no priorities.
template <int Level>
HIPSIGHT_INLINE void set_priority() {}

HIPSIGHT_INLINE void keep_order() {}

template <int reads, int requests>
HIPSIGHT_INLINE void interleave() {}
template <int reads, int requests, int parts = 1>
HIPSIGHT_INLINE void read_ahead() {}

/// The value of the lane whose number is this one's XOR mask.
template <int mask, class Value>
HIPSIGHT_INLINE Value exchange(Value value) {
  static_assert(sizeof(Value) == 4 && 0 <= mask && mask < 32,
                "exchange: of 4 bytes, within a wave");
  return __shfl_xor_sync(0xffffffffu, value, mask);
}

HIPSIGHT_INLINE float exp2(float x) {
  return exp2f(x);
}

HIPSIGHT_INLINE float reciprocal(float x) {
  return 1 / x;
}

inline constexpr bool any_alignment = false;

/// Whether any lane has it.
HIPSIGHT_INLINE bool any(bool condition) {
  return __any_sync(0xffffffffu, condition) != 0;
}

/// log2(x); -inf of 0.
HIPSIGHT_INLINE float log2(float x) {
  return __log2f(x);
}

HIPSIGHT_INLINE Vector<float, 2> fma(Vector<float, 2> x, float y, float z) {
  return {fmaf(x[0], y, z), fmaf(x[1], y, z)};
}

/// Both in Value, of 16 bits, the first one in the low half.
template <class Value>
HIPSIGHT_INLINE std::uint32_t rounded(Vector<float, 2> x) {
  const Vector<Value, 2> both{static_cast<Value>(x[0]), static_cast<Value>(x[1])};
  return *reinterpret_cast<const std::uint32_t*>(&both);
}

template <class Value>
HIPSIGHT_INLINE std::uint32_t nearest(Vector<float, 2> x) {
  return rounded<Value>(x);
}

template <class Value>
HIPSIGHT_INLINE std::uint32_t cut(Vector<float, 2> x) {
  return rounded<Value>(x);
}

/// The same, added to a sum.
template <class Value>
inline constexpr float cut_share = 0;
template <class Value>
HIPSIGHT_INLINE std::uint32_t weights(Vector<float, 2> x, Vector<float, 2>& sum) {
  sum[0] += x[0], sum[1] += x[1];
  return cut<Value>(x);
}

/// 16 bytes of memory that is known to exist.
template <class Values>
HIPSIGHT_INLINE Values load(const void* from) {
  return *static_cast<const Values*>(from);
}

template <class Values>
HIPSIGHT_INLINE Values load(const void* base, std::uint32_t offset, std::uint32_t limit) {
  Values value{};
  if (offset < limit)
    value = *reinterpret_cast<const Values*>(static_cast<const char*>(base) + offset);
  return value;
}

template <class Values>
HIPSIGHT_INLINE void store(void* base, std::uint32_t offset, std::uint32_t limit,
                           const Values& value) {
  if (offset < limit) *reinterpret_cast<Values*>(static_cast<char*>(base) + offset) = value;
}

/// Lane l's 16 bytes, as load() would give them, go to to[l] in shared memory, past the registers.
inline constexpr bool direct_copies = true;
template <class Value>
HIPSIGHT_INLINE void copy_to_shared(const void* base, std::uint32_t offset, std::uint32_t limit,
                                    Chunk<Value>* to) {
  const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(to + threadIdx.x % 32));
  const char* from = static_cast<const char*>(base) + (offset < limit ? offset : 0);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from),
               "r"(offset < limit ? 16 : 0)
               : "memory");
}

template <int>
HIPSIGHT_INLINE void wait_for_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

template <class OfC>
HIPSIGHT_INLINE OfC zeros() {
  return {};
}

template <class Value>
struct MatrixStep {
  static constexpr StepLayout layout = mma_m16n8();
  using OfA = Vector<Value, 16>;
  using OfB = Vector<Value, 32>;
  using OfC = Vector<float, 16>;

  HIPSIGHT_INLINE static void multiply(const OfA& a, const OfB& b, OfC& sum) {
    const auto* a2 = reinterpret_cast<const std::uint32_t*>(&a);  // pairs of values
    const auto* b2 = reinterpret_cast<const std::uint32_t*>(&b);
    HIPSIGHT_UNROLL
    for (int j = 0; j < 16; j += 4) {
      HIPSIGHT_UNROLL
      for (int i = 0; i < 4; i += 2)
        instruction(a2[i], a2[i + 4], a2[i + 1], a2[i + 5], b2[j + i], b2[j + i + 1], &sum[j]);
    }
  }

 private:
  HIPSIGHT_INLINE static void instruction(std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                                          std::uint32_t a3, std::uint32_t b0, std::uint32_t b1,
                                          float* sum) {
#define HIPSIGHT_MMA(type)                                         \
  asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type       \
      ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])     \
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1))
    if constexpr (sizeof(Value) == 2 && !__is_same(Value, bf16))
      HIPSIGHT_MMA("f16");
    else
      HIPSIGHT_MMA("bf16");
#undef HIPSIGHT_MMA
  }
};

/// The matrix instructions for f32 cut the operands to 10 bits of mantissa.
template <>
struct MatrixStep<f32> : LaneFma<f32, fma_32x32(chunk_size<f32>)> {};

}  // namespace hipsight::kernels::arch
