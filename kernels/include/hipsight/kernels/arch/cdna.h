// CDNA2, CDNA3, CDNA4: gfx90a, gfx942, gfx950.
#pragma once

#include "amd.h"
#include "anew.h"
#if defined(__gfx90a__)
#include "no_fp8.h"
#else
#include "amd_fp8.h"
#endif
#if !defined(__gfx950__)
#include "no_direct_copies.h"  // those before have copies of 4 bytes only
#endif

namespace hipsight::kernels::arch {

#if defined(__gfx950__)
inline constexpr Architecture current = Architecture::cdna4;
#elif defined(__gfx942__)
inline constexpr Architecture current = Architecture::cdna3;
#else
inline constexpr Architecture current = Architecture::cdna2;
#endif

/// Kinds of instructions: LLVM's SchedGroupMask.
namespace schedule {
inline constexpr int matrix = 0x8, memory = 0x10, shared_read = 0x100;
}

/// All requests at once, which the compiler prefers, would keep matrix instructions waiting behind
/// them.
template <int reads, int requests>
HIPSIGHT_INLINE void interleave() {
  using namespace schedule;
  __builtin_amdgcn_sched_group_barrier(shared_read, reads, 0);
  HIPSIGHT_UNROLL
  for (int i = 0; i < requests; i++) {
    __builtin_amdgcn_sched_group_barrier(matrix, 1, 0);
    __builtin_amdgcn_sched_group_barrier(memory, 1, 0);
  }
}

/// The same where each step needs a read of shared memory: which takes as long as 6 matrix
/// instructions, or a few more.
template <int reads, int requests, int parts = 1>
HIPSIGHT_INLINE void read_ahead() {
  using namespace schedule;
#if defined(__gfx950__)
  constexpr int instructions = 1;  // of 16 bytes of each operand
#else
  constexpr int instructions = 2;
#endif
  constexpr int ahead = 6 / instructions;
  __builtin_amdgcn_sched_group_barrier(shared_read, ahead * parts, 0);
  unroll<reads>([](auto i) {
    constexpr bool request = (i + 1) * requests / reads > i * requests / reads;
    __builtin_amdgcn_sched_group_barrier(matrix, 1, 0);
    if constexpr (request) __builtin_amdgcn_sched_group_barrier(memory, 1, 0);
    if constexpr (instructions > 1)
      __builtin_amdgcn_sched_group_barrier(matrix, instructions - 1, 0);
    if constexpr (i + ahead < reads) __builtin_amdgcn_sched_group_barrier(shared_read, parts, 0);
  });
}

/// The value of the lane whose number is this one's XOR mask. Up to 15 by one or two DPP moves:
/// mirrors of 8 and of 16 lanes (XOR 7, 15), a rotation by 8 of 16, and any order of 4. Beyond, by
/// the crossbar of the shared memory, or gfx950's swaps of 16 and 32 lanes.
template <int mask, class Value>
HIPSIGHT_INLINE Value exchange(Value value) {
  static_assert(sizeof(Value) == 4 && 0 <= mask && mask < 64,
                "exchange: of 4 bytes, within a wave");
  const int bits = __builtin_bit_cast(int, value);
  if constexpr (mask == 0) {
    return value;
  } else if constexpr (mask < 4) {
    constexpr int order = mask | (1 ^ mask) << 2 | (2 ^ mask) << 4 | (3 ^ mask) << 6;
    return from_lanes<order>(value);
  } else if constexpr (mask < 8) {
    return exchange<mask ^ 7>(from_lanes<0x141>(value));
  } else if constexpr (mask < 12) {
    return exchange<mask ^ 8>(from_lanes<0x128>(value));
  } else if constexpr (mask < 16) {
    return exchange<mask ^ 15>(from_lanes<0x140>(value));
#if defined(__gfx950__)
  } else if constexpr (mask < 32) {
    const auto halves = __builtin_amdgcn_permlane16_swap(bits, bits, false, false);
    return exchange<mask ^ 16>(__builtin_bit_cast(Value, thread() & 16 ? halves[0] : halves[1]));
  } else {
    const auto halves = __builtin_amdgcn_permlane32_swap(bits, bits, false, false);
    return exchange<mask ^ 32>(__builtin_bit_cast(Value, thread() & 32 ? halves[0] : halves[1]));
#else
  } else if constexpr (mask < 32) {
    return __builtin_bit_cast(Value, __builtin_amdgcn_ds_swizzle(bits, mask << 10 | 0x1f));
  } else {
    return __builtin_bit_cast(Value, __builtin_amdgcn_ds_bpermute((thread() ^ mask) * 4, bits));
#endif
  }
}

using Sum32x32 = Vector<float, 16>;

#if defined(__gfx950__)
/// Lane l's 16 bytes, as load() would give them, go to to[l] in shared memory, past the registers.
inline constexpr bool direct_copies = true;
template <class Value>
HIPSIGHT_INLINE void copy_to_shared(const void* base, std::uint32_t offset, std::uint32_t limit,
                                    Chunk<Value>* to) {
  __builtin_amdgcn_raw_ptr_buffer_load_lds(resource(base, limit),
                                           (__attribute__((address_space(3))) void*)to, chunk_bytes,
                                           static_cast<int>(offset), 0, 0, 0);
}

template <int younger>
HIPSIGHT_INLINE void wait_for_copies() {
  static_assert(younger < 64, "wait_for_copies: more requests than are counted");
  __builtin_amdgcn_s_waitcnt(0x0f70 | younger >> 4 << 14 | (younger & 15));  // vmcnt alone
}
#endif

/// Zeros, by one instruction instead of sixteen.
template <class OfC>
HIPSIGHT_INLINE OfC zeros() {
  const auto zero = anew(Vector<short, 4>{});  // else the compiler would copy another sum's
  return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(zero, zero, OfC{}, 0, 0, 0);
}

/// The instruction for 16 bytes of each operand, or as many as that takes.
HIPSIGHT_INLINE Sum32x32 mfma(Vector<f16, 8> a, Vector<f16, 8> b, Sum32x32 sum) {
#if defined(__gfx950__)
  return __builtin_amdgcn_mfma_f32_32x32x16_f16(a, b, sum, 0, 0, 0);
#else
  sum = __builtin_amdgcn_mfma_f32_32x32x8f16(a.lo, b.lo, sum, 0, 0, 0);
  return __builtin_amdgcn_mfma_f32_32x32x8f16(a.hi, b.hi, sum, 0, 0, 0);
#endif
}

HIPSIGHT_INLINE Sum32x32 mfma(Vector<bf16, 8> a, Vector<bf16, 8> b, Sum32x32 sum) {
#if defined(__gfx950__)
  return __builtin_amdgcn_mfma_f32_32x32x16_bf16(a, b, sum, 0, 0, 0);
#else
  const auto x = __builtin_bit_cast(Vector<short, 8>, a),
             y = __builtin_bit_cast(Vector<short, 8>, b);
  sum = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(x.lo, y.lo, sum, 0, 0, 0);
  return __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(x.hi, y.hi, sum, 0, 0, 0);
#endif
}

HIPSIGHT_INLINE Sum32x32 mfma(Vector<f32, 4> a, Vector<f32, 4> b, Sum32x32 sum) {
  HIPSIGHT_UNROLL
  for (int i = 0; i < 4; i++) sum = __builtin_amdgcn_mfma_f32_32x32x2f32(a[i], b[i], sum, 0, 0, 0);
  return sum;
}

#if defined(__gfx942__)
HIPSIGHT_INLINE Sum32x32 mfma(Chunk<fp8_e4m3_fnuz> a, Chunk<fp8_e4m3_fnuz> b, Sum32x32 sum) {
  const auto x = __builtin_bit_cast(Vector<long, 2>, a), y = __builtin_bit_cast(Vector<long, 2>, b);
  sum = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(x[0], y[0], sum, 0, 0, 0);
  return __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(x[1], y[1], sum, 0, 0, 0);
}
#endif

template <class Value>
struct MatrixStep {
  static constexpr StepLayout layout = mfma_32x32(chunk_size<Value>);
  using OfA = Chunk<Value>;
  using OfB = Chunk<Value>;
  using OfC = Sum32x32;

  HIPSIGHT_INLINE static void multiply(const OfA& a, const OfB& b, OfC& sum) {
    sum = mfma(b, a, sum);
  }
};

#if defined(__gfx950__)
/// Of two chunks: it does twice as much in a cycle as the instruction for one. Without scales.
template <>
struct MatrixStep<fp8_e4m3> {
  static constexpr StepLayout layout = mfma_32x32_of_pairs(chunk_size<fp8_e4m3>);
  using OfA = Vector<fp8_e4m3, 32>;
  using OfB = OfA;
  using OfC = Sum32x32;

  HIPSIGHT_INLINE static void multiply(const OfA& a, const OfB& b, OfC& sum) {
    const auto x = __builtin_bit_cast(Vector<int, 8>, a), y = __builtin_bit_cast(Vector<int, 8>, b);
    sum = __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(y, x, sum, 0, 0, 0, 0, 0, 0);
  }
};
#endif

}  // namespace hipsight::kernels::arch
