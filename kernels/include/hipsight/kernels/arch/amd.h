// What CDNA and RDNA have in common.
#pragma once

#include "architecture.h"
#include "step_layouts.h"

namespace hipsight::kernels::arch {

template <int dimension = 0>
HIPSIGHT_INLINE int workgroup() {
  if constexpr (dimension == 0) return static_cast<int>(__builtin_amdgcn_workgroup_id_x());
  if constexpr (dimension == 1) return static_cast<int>(__builtin_amdgcn_workgroup_id_y());
  if constexpr (dimension == 2) return static_cast<int>(__builtin_amdgcn_workgroup_id_z());
}

HIPSIGHT_INLINE int thread() {
  return static_cast<int>(__builtin_amdgcn_workitem_id_x());
}

HIPSIGHT_INLINE int uniform(int x) {
  return __builtin_amdgcn_readfirstlane(x);
}

/// Only what was written to shared memory is waited for: a __syncthreads() would, on RDNA, wait for
/// the loads from global memory, too, which are to stay under way.
template <bool copies_stay = false>
HIPSIGHT_INLINE void barrier() {
#if defined(__gfx950__)
  if constexpr (copies_stay) {  // a release would wait for them, too
    asm volatile("" ::: "memory");
    __builtin_amdgcn_s_waitcnt(0xc07f);  // lgkmcnt(0) alone
    __builtin_amdgcn_s_barrier();
    asm volatile("" ::: "memory");
    return;
  }
#endif
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
}

/// A wave's accesses to shared memory are in order: the compiler's are to be, too.
HIPSIGHT_INLINE void wave_barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront", "local");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront", "local");
}

/// What this work-item wrote is seen by all of the GPU that then learn of it; and what it learned
/// of is seen by it.
HIPSIGHT_INLINE void publish() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
}
HIPSIGHT_INLINE void refresh() {
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
}

HIPSIGHT_INLINE void set_flag(unsigned* flag, unsigned value) {
  __hip_atomic_store(flag, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
HIPSIGHT_INLINE unsigned read_flag(const unsigned* flag) {
  return __hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/// Before asking again.
HIPSIGHT_INLINE void pause() {
  __builtin_amdgcn_s_sleep(1);
}

HIPSIGHT_INLINE void keep_order() {
  __builtin_amdgcn_sched_barrier(0);
}

template <int Level>
HIPSIGHT_INLINE void set_priority() {
  static_assert(0 <= Level && Level <= 3, "a wave's priority is 0 to 3");
  __builtin_amdgcn_s_setprio(Level);
}

/// A 4-byte value of other lanes of the same 16, or less, as DPP's control word says: at the cost
/// of a vector instruction, often as part of the one that takes it. Source: the ISA guides, "DPP".
template <int control, class Value>
HIPSIGHT_INLINE Value from_lanes(Value value) {
  return __builtin_bit_cast(Value, __builtin_amdgcn_update_dpp(0, __builtin_bit_cast(int, value),
                                                               control, 0xf, 0xf, true));
}

/// Whether any lane has it.
HIPSIGHT_INLINE bool any(bool condition) {
#if defined(__GFX9__)
  return __builtin_amdgcn_ballot_w64(condition) != 0;
#else
  return __builtin_amdgcn_ballot_w32(condition) != 0;
#endif
}

/// Within one unit in the last place; results that would be denormal are 0. Source: the ISA guides,
/// V_EXP_F32, V_RCP_F32.
HIPSIGHT_INLINE float exp2(float x) {
  return __builtin_amdgcn_exp2f(x);
}

HIPSIGHT_INLINE float reciprocal(float x) {
  return __builtin_amdgcn_rcpf(x);
}

/// The hardware takes any address (LLVM, AMDGPUUsage: unaligned-access-mode, which amdhsa sets).
inline constexpr bool any_alignment = true;

/// log2(x); -inf of 0.
HIPSIGHT_INLINE float log2(float x) {
  return __builtin_amdgcn_logf(x);
}

/// x * y + z, on CDNA two at a time.
HIPSIGHT_INLINE Vector<float, 2> fma(Vector<float, 2> x, float y, float z) {
  return __builtin_elementwise_fma(x, Vector<float, 2>{y, y}, Vector<float, 2>{z, z});
}

/// Both in Value, of 16 bits, to the nearest, of two the even one; the first one in the low half.
template <class Value>
HIPSIGHT_INLINE std::uint32_t rounded(Vector<float, 2> x) {
#if !defined(__gfx950__) && !defined(__GFX12__)
  if constexpr (__is_same(Value, bf16)) {  // there is no instruction; a NaN is one of its own
    const auto bits = __builtin_bit_cast(Vector<std::uint32_t, 2>, x);
    std::uint32_t up[2];
    HIPSIGHT_UNROLL
    for (int i = 0; i < 2; i++)
      up[i] = x[i] == x[i] ? bits[i] + 0x7fff + (bits[i] >> 16 & 1) : 0x7fff0000;
    return __builtin_amdgcn_perm(up[1], up[0], 0x07060302);  // their high halves
  }
#endif
  return __builtin_bit_cast(std::uint32_t,
                            Vector<Value, 2>{static_cast<Value>(x[0]), static_cast<Value>(x[1])});
}

/// The same by fewer instructions, where there is none for it: half goes up. A NaN whose low bits
/// are all set may become a number.
template <class Value>
HIPSIGHT_INLINE std::uint32_t nearest(Vector<float, 2> x) {
#if !defined(__gfx950__) && !defined(__GFX12__)
  if constexpr (__is_same(Value, bf16)) {
    const auto bits = __builtin_bit_cast(Vector<std::uint32_t, 2>, x) + 0x8000u;
    return __builtin_amdgcn_perm(bits[1], bits[0], 0x07060302);  // their high halves
  }
#endif
  return rounded<Value>(x);
}

/// Both in Value, the first one in the low half, and added to a sum. f16 is cut, by one
/// instruction, and what is left is what is summed: a weighted mean then has no bias. `cut_share`
/// is what is lost of a sum on average, if mantissas m have the chance 1 / m: 2^-11 / (2 ln 2).
template <class Value>
inline constexpr float cut_share = __is_same(Value, f16) ? 3.522e-4f : 0;
template <class Value>
HIPSIGHT_INLINE std::uint32_t weights(Vector<float, 2> x, Vector<float, 2>& sum) {
  if constexpr (__is_same(Value, f16)) {
    const auto cut = __builtin_amdgcn_cvt_pkrtz(x[0], x[1]);
    sum[0] = __builtin_amdgcn_fdot2(cut, decltype(cut){1, 1}, sum[0], false);
    return __builtin_bit_cast(std::uint32_t, cut);
  } else {
    sum += x;
    return nearest<Value>(x);  // a NaN may become a number, but not in the sum
  }
}

/// Both in Value, the first one in the low half; what Value has no bits for is cut.
template <class Value>
HIPSIGHT_INLINE std::uint32_t cut(Vector<float, 2> x) {
  if constexpr (__is_same(Value, f16)) {
    return __builtin_bit_cast(std::uint32_t, __builtin_amdgcn_cvt_pkrtz(x[0], x[1]));
  } else {
    const auto bits = __builtin_bit_cast(Vector<std::uint32_t, 2>, x);
    return __builtin_amdgcn_perm(bits[1], bits[0], 0x07060302);  // their high halves
  }
}

/// 16 bytes of memory that is known to exist, at an address of each lane's own.
template <class Values>
HIPSIGHT_INLINE Values load(const void* from) {
  static_assert(sizeof(Values) == 16, "load: chunks of 16 bytes");
  using Words = Vector<std::uint32_t, 4>;
  return __builtin_bit_cast(Values, *(const __attribute__((address_space(1))) Words*)from);
}

/// Buffer accesses: the hardware compares each lane's offset with the limit. The resource's last
/// word says "raw, 32-bit data": LLVM, AMDGPUUsage, and the ISA guides, "Buffer resource
/// descriptor".
HIPSIGHT_INLINE __amdgpu_buffer_rsrc_t resource(const void* base, std::uint32_t limit) {
#if defined(__GFX9__)
  constexpr int word = 0x00027000;
#else
  constexpr int word = 0x31027000;
#endif
  return __builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(base), 0, limit, word);
}

template <class Values>
HIPSIGHT_INLINE Values load(const void* base, std::uint32_t offset, std::uint32_t limit) {
  const auto from = resource(base, limit);
  const int at = static_cast<int>(offset);
  if constexpr (sizeof(Values) == 16)
    return __builtin_bit_cast(Values, __builtin_amdgcn_raw_buffer_load_b128(from, at, 0, 0));
  else if constexpr (sizeof(Values) == 8)
    return __builtin_bit_cast(Values, __builtin_amdgcn_raw_buffer_load_b64(from, at, 0, 0));
  else if constexpr (sizeof(Values) == 4)
    return __builtin_bit_cast(Values, __builtin_amdgcn_raw_buffer_load_b32(from, at, 0, 0));
  else if constexpr (sizeof(Values) == 2)
    return __builtin_bit_cast(Values, __builtin_amdgcn_raw_buffer_load_b16(from, at, 0, 0));
  else
    return __builtin_bit_cast(Values, __builtin_amdgcn_raw_buffer_load_b8(from, at, 0, 0));
}

template <class Values>
HIPSIGHT_INLINE void store(void* base, std::uint32_t offset, std::uint32_t limit,
                           const Values& value) {
  const auto to = resource(base, limit);
  const int at = static_cast<int>(offset);
  if constexpr (sizeof(Values) == 16)
    __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(Vector<std::uint32_t, 4>, value), to,
                                           at, 0, 0);
  else if constexpr (sizeof(Values) == 8)
    __builtin_amdgcn_raw_buffer_store_b64(__builtin_bit_cast(Vector<std::uint32_t, 2>, value), to,
                                          at, 0, 0);
  else if constexpr (sizeof(Values) == 4)
    __builtin_amdgcn_raw_buffer_store_b32(__builtin_bit_cast(std::uint32_t, value), to, at, 0, 0);
  else if constexpr (sizeof(Values) == 2)
    __builtin_amdgcn_raw_buffer_store_b16(__builtin_bit_cast(std::uint16_t, value), to, at, 0, 0);
  else
    __builtin_amdgcn_raw_buffer_store_b8(__builtin_bit_cast(std::uint8_t, value), to, at, 0, 0);
}

}  // namespace hipsight::kernels::arch
