#pragma once
// What generated kernels are written in, for the GPU and for the host: generate.py makes the text.
// Beside what tests/host uses: instructions with a definition here for the host, and exchanges
// between all lanes of a wave. Needs no HIP headers.

#ifdef __HIP__
#define __device__ __attribute__((device))
#endif
#include "../../host/kernels/conversions.h"
#include "../../host/kernels/floats.h"
#include "../../host/kernels/item.h"
#ifndef __HIP__
#include "host_kernel.h"
#endif

namespace fuzz {

using namespace host_test;

/// Part of its caller, without optimisation too; what is not is called there.
#define INLINE [[gnu::always_inline]] DEVICE

template <class T, int count>
using Vector = T __attribute__((ext_vector_type(count)));
using u8x4 = Vector<u8, 4>;
using u16x2 = Vector<u16, 2>;
using u32x2 = Vector<u32, 2>;
using u32x3 = Vector<u32, 3>;
using u32x4 = Vector<u32, 4>;
using u64x2 = Vector<u64, 2>;
using f16x2 = Vector<f16, 2>;
using f16x4 = Vector<f16, 4>;
using f32x2 = Vector<f32, 2>;
using f32x4 = Vector<f32, 4>;
using f64x2 = Vector<f64, 2>;

// --- numbers -----------------------------------------------------------------------------------

/// IEEE 754 leaves open which NaN an operation gives; this is one of them. By bits, so that no
/// compiler takes it away. With FUZZ_ANY_NAN all stay as they are, signaling ones too: to compare
/// only what runs the same machine code.
template <class T>
DEVICE T one_nan(T x) {
#ifdef FUZZ_ANY_NAN
  return x;
#endif
  const Bits<T> magnitude = bits(x) & Bits<T>(~Bits<T>(0)) >> 1;
  return from_bits<T>(magnitude > infinity_bits<T> ? infinity_bits<T> | infinity_bits<T> >> 1
                                                   : bits(x));
}
/// A value's bits, the same for all NaNs, and for both zeros: LLVM 22 does not always keep the sign
/// of a zero (docs/fuzzing.md).
template <class T>
DEVICE u64 word(T x) {
#ifdef FUZZ_ANY_NAN
  if constexpr (is_float<T>) return bits(x);
#endif
  if constexpr (is_float<T>)
    return Bits<T>(bits(x) << 1) ? bits(one_nan(x)) : 0;
  else
    return u64(x);
}
/// A value of any bits; no signaling NaN.
template <class T>
DEVICE T value(u64 word) {
  if constexpr (std::is_same_v<T, bool>)
    return word & 1;
  else if constexpr (is_float<T>)
    return one_nan(from_bits<T>(word));
  else
    return T(word);
}

template <class T>
DEVICE T quotient(T a, T b) {
  return b == 0 || b == T(-1) ? a : T(a / b);
}
template <class T>
DEVICE T rest(T a, T b) {
  return b == 0 || b == T(-1) ? a : T(a % b);
}
DEVICE u32 high_product(u32 a, u32 b) {
  return u32(u64(a) * b >> 32);
}
DEVICE i32 high_product(i32 a, i32 b) {
  return i32(u32(u64(i64(a) * b) >> 32));
}
template <class T>
DEVICE T rotated(T x, u32 by) {
  constexpr u32 last = width<T> - 1;
  return T(x << (by & last) | x >> ((0 - by) & last));
}
// The builtins leave open the sign of a zero.
template <class T>
DEVICE T least(T a, T b) {
  return __builtin_elementwise_minnum(a, b) + T(0);
}
template <class T>
DEVICE T greatest(T a, T b) {
  return __builtin_elementwise_maxnum(a, b) + T(0);
}
/// LLVM 22 makes a product that is rounded to f16 an fma with +0, so here too -0 is +0.
DEVICE f16 narrowed(f32 x) {
  return f16(x) + f16(0);
}
DEVICE f16 narrowed(f64 x) {
  return f16(x) + f16(0);
}
template <class T>
DEVICE T scaled_by(T x, u32 n) {
  return scaled(x, int(n & 127) - 64);
}

// --- memory ------------------------------------------------------------------------------------

/// A value at any address.
template <class T>
DEVICE T load(const void* at) {
  T result;
  __builtin_memcpy(&result, at, sizeof(T));
  return result;
}
template <class T>
DEVICE void store(void* at, T value) {
  __builtin_memcpy(at, &value, sizeof(T));
}

// The operation must give the same in any order.
#ifdef __HIP__
#define ATOMIC(name, result)                                                                 \
  template <class T>                                                                         \
  DEVICE T atomic_##name(T* at, T value) {                                                   \
    return __hip_atomic_fetch_##name(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); \
  }
#else
#define ATOMIC(name, result)               \
  template <class T>                       \
  DEVICE T atomic_##name(T* at, T value) { \
    const T old = *at;                     \
    *at = result;                          \
    return old;                            \
  }
#endif
ATOMIC(add, old + value)
ATOMIC(min, old < value ? old : value)
ATOMIC(max, old > value ? old : value)
ATOMIC(and, old& value)
ATOMIC(or, old | value)
ATOMIC(xor, old ^ value)
#undef ATOMIC
template <class T>
DEVICE T atomic_exchange(T* at, T value) {
#ifdef __HIP__
  return __hip_atomic_exchange(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
  const T old = *at;
  *at = value;
  return old;
#endif
}
/// What was there before; replaced if it was `expected`.
template <class T>
DEVICE T atomic_replace(T* at, T expected, T value) {
#ifdef __HIP__
  __hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,
                                       __HIP_MEMORY_SCOPE_AGENT);
  return expected;
#else
  return atomic_exchange(at, *at == expected ? value : *at);
#endif
}
/// The single instruction, where the GPU has one. Sums of small whole numbers are exact.
template <class T>
DEVICE void atomic_add_number(T* at, u32 number) {
#ifdef __HIP__
  [[clang::atomic(no_remote_memory, no_fine_grained_memory, ignore_denormal_mode)]] {
    __hip_atomic_fetch_add(at, T(number & 255), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  }
#else
  *at += T(number & 255);
#endif
}

// --- single instructions -----------------------------------------------------------------------

#ifdef __HIP__
#define BY_DEFINITION(name, parameters, call, definition) \
  DEVICE u32 name parameters {                            \
    return call;                                          \
  }
#else
#define BY_DEFINITION(name, parameters, call, definition) DEVICE u32 name parameters definition
#endif

BY_DEFINITION(align_bits, (u32 a, u32 b, u32 n), __builtin_amdgcn_alignbit(a, b, n),
              { return u32((u64(a) << 32 | b) >> (n & 31)); })
BY_DEFINITION(align_bytes, (u32 a, u32 b, u32 n), __builtin_amdgcn_alignbyte(a, b, n),
              { return u32((u64(a) << 32 | b) >> (8 * (n & 3))); })
BY_DEFINITION(bit_field, (u32 a, u32 offset, u32 count), __builtin_amdgcn_ubfe(a, offset, count),
              { return (a >> (offset & 31)) & ((1u << (count & 31)) - 1); })
BY_DEFINITION(signed_bit_field, (u32 a, u32 offset, u32 count),
              u32(__builtin_amdgcn_sbfe(i32(a), offset, count)), {
                u32 result = 0;
                for (u32 i = 0; (count & 31) && i < 32; i++) {
                  const u32 at = (offset & 31) + (i < (count & 31) ? i : (count & 31) - 1);
                  result |= (a >> (at < 31 ? at : 31) & 1) << i;
                }
                return result;
              })
BY_DEFINITION(permuted_bytes, (u32 a, u32 b, u32 select), __builtin_amdgcn_perm(a, b, select), {
  u32 result = 0;
  for (int i = 0; i < 4; i++) {
    const u32 s = select >> 8 * i & 255;
    const u64 both = u64(a) << 32 | b;
    const u32 byte = s < 8     ? u32(both >> 8 * s & 255)
                     : s < 12  ? (both >> (16 * (s - 8) + 15) & 1) * 255
                     : s == 12 ? 0
                               : 255;
    result |= byte << 8 * i;
  }
  return result;
})
DEVICE u32 byte_of(u32 x, int i) {
  return x >> 8 * i & 255;
}
BY_DEFINITION(byte_differences, (u32 a, u32 b, u32 c), __builtin_amdgcn_sad_u8(a, b, c), {
  for (int i = 0; i < 4; i++)
    c += byte_of(a, i) > byte_of(b, i) ? byte_of(a, i) - byte_of(b, i)
                                       : byte_of(b, i) - byte_of(a, i);
  return c;
})
BY_DEFINITION(masked_byte_differences, (u32 a, u32 b, u32 c), __builtin_amdgcn_msad_u8(a, b, c), {
  for (int i = 0; i < 4; i++)
    if (byte_of(b, i))
      c += byte_of(a, i) > byte_of(b, i) ? byte_of(a, i) - byte_of(b, i)
                                         : byte_of(b, i) - byte_of(a, i);
  return c;
})
BY_DEFINITION(byte_averages, (u32 a, u32 b, u32 c), __builtin_amdgcn_lerp(a, b, c), {
  u32 result = 0;
  for (int i = 0; i < 4; i++)
    result |= (byte_of(a, i) + byte_of(b, i) + (byte_of(c, i) & 1)) >> 1 << 8 * i;
  return result;
})
BY_DEFINITION(byte_products, (u32 a, u32 b, u32 c), __builtin_amdgcn_udot4(a, b, c, false), {
  for (int i = 0; i < 4; i++) c += byte_of(a, i) * byte_of(b, i);
  return c;
})
#undef BY_DEFINITION

// --- a wave ------------------------------------------------------------------------------------

struct Group {
  u32 thread;  ///< its number in the workgroup
  u32 block;   ///< the workgroup's
#ifdef __HIP__
  static constexpr u32 lanes = FUZZ_LANES;
  INLINE void barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  INLINE u64 ballot(bool vote) {
    if constexpr (lanes == 64)
      return __builtin_amdgcn_ballot_w64(vote);
    else
      return __builtin_amdgcn_ballot_w32(vote);
  }
  INLINE u32 shuffle(u32 value, u32 lane) {
    return u32(__builtin_amdgcn_ds_bpermute(int(lane << 2), int(value)));
  }
  /// `lane`: the same for all.
  INLINE u32 from_lane(u32 value, u32 lane) {
    return u32(__builtin_amdgcn_readlane(value, lane % lanes));
  }
  INLINE u32 from_first(u32 value) { return u32(__builtin_amdgcn_readfirstlane(value)); }
  /// How many lanes below this one have their bit in the mask, and `add`.
  INLINE u32 count_below(u64 mask, u32 add) {
    const u32 low = __builtin_amdgcn_mbcnt_lo(u32(mask), add);
    return lanes == 64 ? __builtin_amdgcn_mbcnt_hi(u32(mask >> 32), low) : low;
  }
  template <u32 control, u32 rows, u32 banks, bool zero>
  INLINE u32 dpp(u32 old, u32 value) {
    return u32(__builtin_amdgcn_update_dpp(int(old), int(value), control, rows, banks, zero));
  }
  template <u32 pattern>
  INLINE u32 swizzle(u32 value) {
    return u32(__builtin_amdgcn_ds_swizzle(int(value), pattern));
  }
  template <u32 select>
  INLINE u32 of_eight(u32 value) {
#if __has_builtin(__builtin_amdgcn_mov_dpp8) && (defined(__GFX11__) || defined(__GFX12__))
    value = __builtin_amdgcn_mov_dpp8(value, select);
    asm volatile("" : "+v"(value));  // LLVM 22 would move it to where lanes that it reads are off
    return value;
#else
    const u32 self = count_below(~0ull, 0);
    return shuffle(value, (self & ~7u) | (select >> 3 * (self & 7) & 7));
#endif
  }
  // In code that not all lanes run; `active` are those that do. The others call aside().
  INLINE u64 ballot_among(u64 active, bool vote) { return ballot(vote); }
  INLINE u32 from_first_of(u64 active, u32 value) { return from_first(value); }
  INLINE void aside() {}
#else
  Fibers& fibers;
  u32 lanes;

  void barrier() { fibers.wait_for(0, fibers.count()); }
  u32 first() const { return fibers.current() / lanes * lanes; }
  u32 lane() const { return fibers.current() % lanes; }
  /// Gives the wave this lane's value; peek() then gives those of others.
  void show(u64 value) {
    fibers.wait_for(first(), lanes);  // all have read the values before
    fibers.words[fibers.current()] = value;
    fibers.wait_for(first(), lanes);
  }
  u64 peek(u32 lane) const { return fibers.words[first() + lane]; }
  u32 present() const {
    const u32 left = fibers.count() - first();
    return left < lanes ? left : lanes;
  }

  u64 ballot(bool vote) { return ballot_among(~0ull, vote); }
  u32 shuffle(u32 value, u32 lane) {
    show(value);
    return u32(peek(lane % lanes));
  }
  u32 from_lane(u32 value, u32 lane) { return shuffle(value, lane); }
  u32 from_first(u32 value) { return shuffle(value, 0); }
  u32 count_below(u64 mask, u32 add) const {
    for (u32 i = 0; i < lane(); i++) add += mask >> i & 1;
    return add;
  }
  template <u32 control, u32 rows, u32 banks, bool zero>
  u32 dpp(u32 old, u32 value) {
    show(value);
    const u32 self = lane(), row = self & ~15u, at = self & 15, by = control & 15;
    if (!(rows >> self / 16 & 1) || !(banks >> at / 4 & 1)) return old;
    const auto in_row = [&](u32 from) {
      return from < 16 ? u32(peek(row + from)) : zero ? 0 : old;
    };
    if (control < 0x100) return u32(peek((self & ~3u) + (control >> 2 * (self & 3) & 3)));
    if (control < 0x110) return in_row(at + by);         // row_shl
    if (control < 0x120) return in_row(at - by);         // row_shr
    if (control < 0x130) return in_row((at - by) & 15);  // row_ror
    if (control == 0x140) return in_row(15 - at);        // row_mirror
    return in_row((at & 8) + 7 - (at & 7));              // row_half_mirror
  }
  template <u32 pattern>
  u32 swizzle(u32 value) {
    show(value);
    const u32 self = lane();
    if (pattern & 0x8000) return u32(peek((self & ~3u) + (pattern >> 2 * (self & 3) & 3)));
    const u32 from = (((self & 31) & pattern) | pattern >> 5) ^ pattern >> 10;
    return u32(peek((self & ~31u) | (from & 31)));
  }
  template <u32 select>
  u32 of_eight(u32 value) {
    show(value);
    return u32(peek((lane() & ~7u) + (select >> 3 * (lane() & 7) & 7)));
  }
  u64 ballot_among(u64 active, bool vote) {
    show(vote);
    u64 all = 0;
    for (u32 i = 0; i < present(); i++)
      if (active >> i & 1) all |= peek(i) << i;
    return all;
  }
  u32 from_first_of(u64 active, u32 value) {
    show(value);
    return u32(peek(u32(__builtin_ctzll(active))));
  }
  void aside() { fibers.pass(2); }
#endif
};

}  // namespace fuzz

// KERNEL(number, x, y, z, groups, slots): the kernel of body##number and Shared##number.
#ifdef __HIP__
#define KERNEL(number, x, y, z, groups, slots)                                                  \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(x * y * z, x * y * z))) void    \
  kernel##number(const fuzz::u64* in, fuzz::u64* out, fuzz::u64* totals) {                      \
    static __attribute__((shared)) Shared##number shared;                                       \
    Group group{(__builtin_amdgcn_workitem_id_z() * y + __builtin_amdgcn_workitem_id_y()) * x + \
                    __builtin_amdgcn_workitem_id_x(),                                           \
                __builtin_amdgcn_workgroup_id_x()};                                             \
    body##number(group, shared, in, out, totals);                                               \
  }
#else
#define KERNEL(number, x, y, z, groups, slots)                                             \
  static void host##number(Fibers& fibers, u32 lanes, u32 thread, u32 block, void* shared, \
                           const u64* in, u64* out, u64* totals) {                         \
    Group group{thread, block, fibers, lanes};                                             \
    body##number(group, *static_cast<Shared##number*>(shared), in, out, totals);           \
  }                                                                                        \
  static const HostKernel entry##number(                                                   \
      {"kernel" #number, {x, y, z}, groups, slots, sizeof(Shared##number), host##number});
#endif
