// RDNA3 and RDNA4: gfx11 and gfx12, waves of 32.
#pragma once

#include "amd.h"
#if defined(__GFX12__)
#include "amd_fp8.h"
#else
#include "no_fp8.h"
#endif
#include "lane_fma.h"
#include "no_direct_copies.h"

namespace hipsight::kernels::arch {

#if defined(__GFX12__)
inline constexpr Architecture current = Architecture::rdna4;
#else
inline constexpr Architecture current = Architecture::rdna3;
#endif

template <int reads, int requests>
HIPSIGHT_INLINE void interleave() {}
template <int reads, int requests, int parts = 1>
HIPSIGHT_INLINE void read_ahead() {}

/// The value of the lane whose number is this one's XOR mask: by DPP within 16 lanes, by a
/// permutation of the other 16 beyond.
template <int mask, class Value>
HIPSIGHT_INLINE Value exchange(Value value) {
  static_assert(sizeof(Value) == 4 && 0 <= mask && mask < 32,
                "exchange: of 4 bytes, within a wave");
  if constexpr (mask == 0) {
    return value;
  } else if constexpr (mask < 16) {
    return from_lanes<0x160 + mask>(value);  // row_xmask
  } else {
    const int bits = __builtin_bit_cast(int, value);
    constexpr unsigned low = 0x76543210, high = 0xfedcba98;  // 4 bits a lane: who it is to take
    constexpr unsigned x = 0x11111111u * (mask & 15);
    return __builtin_bit_cast(
        Value, __builtin_amdgcn_permlanex16(bits, bits, low ^ x, high ^ x, false, false));
  }
}

using Sum16x16 = Vector<float, 8>;

#if defined(__GFX12__)
HIPSIGHT_INLINE Sum16x16 wmma(Vector<f16, 8> a, Vector<f16, 8> b, Sum16x16 sum) {
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, sum);
}

HIPSIGHT_INLINE Sum16x16 wmma(Vector<bf16, 8> a, Vector<bf16, 8> b, Sum16x16 sum) {
  return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(
      __builtin_bit_cast(Vector<short, 8>, a), __builtin_bit_cast(Vector<short, 8>, b), sum);
}
#else
HIPSIGHT_INLINE Sum16x16 wmma(Vector<f16, 16> a, Vector<f16, 16> b, Sum16x16 sum) {
  return __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, sum);
}

HIPSIGHT_INLINE Sum16x16 wmma(Vector<bf16, 16> a, Vector<bf16, 16> b, Sum16x16 sum) {
  return __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(__builtin_bit_cast(Vector<short, 16>, a),
                                                     __builtin_bit_cast(Vector<short, 16>, b), sum);
}
#endif

template <class OfC>
HIPSIGHT_INLINE OfC zeros() {
  if constexpr (__is_same(OfC, Sum16x16))
    return anew(OfC{});
  else
    return {};
}

template <class Value>
struct MatrixStep {
#if defined(__GFX12__)
  static constexpr StepLayout layout = wmma_rdna4(8);
#else
  static constexpr StepLayout layout = wmma_rdna3();
#endif
  using OfA = Vector<Value, layout.a.elements()>;
  using OfB = OfA;
  using OfC = Sum16x16;

  HIPSIGHT_INLINE static void multiply(const OfA& a, const OfB& b, OfC& sum) {
    sum = wmma(b, a, sum);
  }
};

#if defined(__GFX12__)
template <>
struct MatrixStep<fp8_e4m3> {
  static constexpr StepLayout layout = wmma_rdna4(16);
  using OfA = Chunk<fp8_e4m3>;
  using OfB = OfA;
  using OfC = Sum16x16;

  HIPSIGHT_INLINE static void multiply(const OfA& a, const OfB& b, OfC& sum) {
    const auto x = __builtin_bit_cast(Vector<int, 4>, a), y = __builtin_bit_cast(Vector<int, 4>, b);
    sum = __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(y.lo, x.lo, sum);
    sum = __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(y.hi, x.hi, sum);
  }
};
#endif

/// There are no matrix instructions for f32.
template <>
struct MatrixStep<f32> : LaneFma<f32, fma_32x32(chunk_size<f32>)> {};

}  // namespace hipsight::kernels::arch
