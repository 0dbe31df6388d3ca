#pragma once
// Operands that VOP3P's fields take apart: halves for dot products, f16 or f32 for the mixed fma.
// `fields` is op_sel, op_sel_hi, neg_lo and neg_hi, three bits each, bit i for operand i; it is the
// same in every lane.

#include "engine/interpret/lanes/conversions.h"
#include "engine/interpret/lanes/rdna_dot.h"
#include "engine/interpret/lanes/small_floats.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

/// Whether a field's bit for an operand is set.
template <int N>
inline bool field(Lanes<isa::u32, N> fields, int first, int operand) {
  return (fields.v[0] >> (first + operand) & 1) != 0;
}

/// The half that feeds the low (element 0) or the high sum, as f32.
template <class T, int N>
inline Lanes<isa::f32, N> half_of(Lanes<isa::u32, N> a, int operand, int element,
                                  Lanes<isa::u32, N> fields) {
  const bool is_high = field(fields, 3 * element, operand);
  const auto value = as<isa::f32>(is_high ? high<T>(a) : low<T>(a));
  return field(fields, 6 + 3 * element, operand) ? negate(value) : value;
}
/// c + a0 b0 + a1 b1, each step fused: products of 16-bit floats are exact in f32.
template <class T, int N>
inline Lanes<isa::f32, N> dot2_signed(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b,
                                      Lanes<isa::f32, N> c, Lanes<isa::u32, N> fields) {
  if (field(fields, 6, 2)) c = negate(c);
  const auto first = fma(half_of<T>(a, 0, 0, fields), half_of<T>(b, 1, 0, fields), c);
  return fma(half_of<T>(a, 0, 1, fields), half_of<T>(b, 1, 1, fields), first);
}
/// The same of halves as they lie: op_sel_hi set, all else clear.
template <class T, int N>
inline Lanes<isa::f32, N> dot2(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b, Lanes<isa::f32, N> c) {
  const auto first = fma(as<isa::f32>(low<T>(a)), as<isa::f32>(low<T>(b)), c);
  return fma(as<isa::f32>(high<T>(a)), as<isa::f32>(high<T>(b)), first);
}
/// The same two of CDNA2, which takes denormals of f16 for zeros (measured:
/// llvm/llvm-project#205101).
template <int N>
inline Lanes<isa::f32, N> flush_half(Lanes<isa::f32, N> a) {
  return select(absolute(a) < 0x1p-14f, Lanes<isa::f32, N>(0.0f), a);
}
template <int N>
inline Lanes<isa::f32, N> dot2_flushed_signed(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b,
                                              Lanes<isa::f32, N> c, Lanes<isa::u32, N> fields) {
  const auto factor = [&](auto of, int operand, int element) {
    return flush_half(half_of<isa::f16>(of, operand, element, fields));
  };
  if (field(fields, 6, 2)) c = negate(c);
  return fma(factor(a, 0, 1), factor(b, 1, 1), fma(factor(a, 0, 0), factor(b, 1, 0), c));
}
/// VOP3P's fields for halves as they lie: op_sel_hi set, all else clear.
inline constexpr std::uint32_t as_they_lie = 7 << 3;
template <int N>
inline Lanes<isa::f32, N> dot2_flushed(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b,
                                       Lanes<isa::f32, N> c) {
  return dot2_flushed_signed(a, b, c, Lanes<isa::u32, N>(as_they_lie));
}

/// The same of RDNA: bits of an f32, or of a T.
template <DotSum sum, class T, bool narrow, int N>
inline Vec<std::uint32_t, N> rdna_dot2(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b, Vec<float, N> c,
                                       Lanes<isa::u32, N> fields) {
  const Vec<float, N> left[]{half_of<T>(a, 0, 0, fields).v, half_of<T>(a, 0, 1, fields).v},
      right[]{half_of<T>(b, 1, 0, fields).v, half_of<T>(b, 1, 1, fields).v};
  return RdnaDot<N>::template dot<sum, T, narrow>(left, right, c);
}
#define HIPSIGHT_RDNA_DOT(NAME, SUM)                                                              \
  template <class T, int N>                                                                       \
  inline Lanes<isa::f32, N> NAME##_dot2_signed(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b,        \
                                               Lanes<isa::f32, N> c, Lanes<isa::u32, N> fields) { \
    if (field(fields, 6, 2)) c = negate(c);                                                       \
    return from_bits<isa::f32, N>(rdna_dot2<DotSum::SUM, T, false>(a, b, c.v, fields));           \
  }                                                                                               \
  template <class T, int N>                                                                       \
  inline Lanes<isa::f32, N> NAME##_dot2(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b,               \
                                        Lanes<isa::f32, N> c) {                                   \
    return NAME##_dot2_signed<T>(a, b, c, Lanes<isa::u32, N>(as_they_lie));                       \
  }                                                                                               \
  template <class T, int N>                                                                       \
  inline Lanes<T, N> NAME##_dot2_narrow(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b,               \
                                        Lanes<T, N> c) {                                          \
    const Lanes<isa::u32, N> fields(as_they_lie);                                                 \
    return from_bits<T, N>(rdna_dot2<DotSum::SUM, T, true>(a, b, c.v, fields));                   \
  }
HIPSIGHT_RDNA_DOT(rdna3, Rdna3)
HIPSIGHT_RDNA_DOT(rdna4, Rdna4)
#undef HIPSIGHT_RDNA_DOT

/// c plus the products of four bytes, from the low one on, each step fused.
template <class A, class B, int N>
inline Lanes<isa::f32, N> dot4(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b, Lanes<isa::f32, N> c,
                               Lanes<isa::u32, N> fields) {
  auto sum = field(fields, 6, 2) ? negate(c) : c;
  for (int i = 0; i < 4; ++i)
    sum = fma(from_small<A>((a >> (8 * i)) & 255), from_small<B>((b >> (8 * i)) & 255), sum);
  return sum;
}

#define HIPSIGHT_DOT4(NAME, A, B)                                                          \
  template <int N>                                                                         \
  inline Lanes<isa::f32, N> dot4_##NAME(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b,        \
                                        Lanes<isa::f32, N> c, Lanes<isa::u32, N> fields) { \
    return dot4<A, B>(a, b, c, fields);                                                    \
  }
HIPSIGHT_DOT4(fp8_fp8, Fp8, Fp8)
HIPSIGHT_DOT4(fp8_bf8, Fp8, Bf8)
HIPSIGHT_DOT4(bf8_fp8, Bf8, Fp8)
HIPSIGHT_DOT4(bf8_bf8, Bf8, Bf8)
#undef HIPSIGHT_DOT4

/// An operand of v_fma_mix: f32, or where op_sel_hi is set the half that op_sel names; neg_hi is
/// its absolute value, neg_lo its sign.
template <int N>
inline Lanes<isa::f32, N> mixed(Lanes<isa::u32, N> a, int operand, Lanes<isa::u32, N> fields) {
  auto value = as<isa::f32>(a);
  if (field(fields, 3, operand))
    value = as<isa::f32>(field(fields, 0, operand) ? high<isa::f16>(a) : low<isa::f16>(a));
  if (field(fields, 9, operand)) value = absolute(value);
  return field(fields, 6, operand) ? negate(value) : value;
}
template <int N>
inline Lanes<isa::f32, N> fma_mix(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b, Lanes<isa::u32, N> c,
                                  Lanes<isa::u32, N> fields) {
  return fma(mixed(a, 0, fields), mixed(b, 1, fields), mixed(c, 2, fields));
}
template <int N>
inline Lanes<isa::f32, N> mad_mix(Lanes<isa::u32, N> a, Lanes<isa::u32, N> b, Lanes<isa::u32, N> c,
                                  Lanes<isa::u32, N> fields) {
  return mad(mixed(a, 0, fields), mixed(b, 1, fields), mixed(c, 2, fields));
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
