#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

/// Dot products, and the fma of mixed types. `fields` is what VOP3P says of operands: op_sel,
/// op_sel_hi, neg_lo, neg_hi. CDNA: the manuals add the products one after the other, the low one
/// first; that each step is fused, and that 16-bit results round once, is assumed.
inline constexpr Entries dot_float_entries{
    def<f32(halves<f16>, halves<f16>, f32, u32)>(
        "V_DOT2_F32_F16",
        [](auto a, auto b, auto c, auto fields) { return dot2_signed<f16>(a, b, c, fields); }),
    def<f32(halves<bf16>, halves<bf16>, f32, u32)>(
        "V_DOT2_F32_BF16",
        [](auto a, auto b, auto c, auto fields) { return dot2_signed<bf16>(a, b, c, fields); }),
    def<f32(halves<f16>, halves<f16>, old<f32>)>(
        "V_DOT2C_F32_F16", [](auto a, auto b, auto c) { return dot2<f16>(a, b, c); }),
    def<f32(halves<bf16>, halves<bf16>, old<f32>)>(
        "V_DOT2C_F32_BF16", [](auto a, auto b, auto c) { return dot2<bf16>(a, b, c); }),
    def<f16(halves<f16>, halves<f16>, f16)>(
        "V_DOT2_F16_F16",
        [](auto a, auto b, auto c) { return to_float<f16>(dot2<f16>(a, b, to_float<f32>(c))); }),
    def<bf16(halves<bf16>, halves<bf16>, bf16)>(
        "V_DOT2_BF16_BF16",
        [](auto a, auto b, auto c) { return to_float<bf16>(dot2<bf16>(a, b, to_float<f32>(c))); }),

    // Of CDNA2, and of RDNA3 and RDNA4, whose sums were measured.
    def<f32(halves<f16>, halves<f16>, f32, u32)>(
        "V_DOT2_F32_F16@CDNA2",
        [](auto a, auto b, auto c, auto fields) { return dot2_flushed_signed(a, b, c, fields); }),
    def<f32(halves<f16>, halves<f16>, old<f32>)>(
        "V_DOT2C_F32_F16@CDNA2", [](auto a, auto b, auto c) { return dot2_flushed(a, b, c); }),
#define HIPSIGHT_RDNA_DOTS(GENERATION, NAME)                                                      \
  def<f32(halves<f16>, halves<f16>, f32, u32)>("V_DOT2_F32_F16@" GENERATION,                      \
                                               [](auto a, auto b, auto c, auto fields) {          \
                                                 return NAME##_dot2_signed<f16>(a, b, c, fields); \
                                               }),                                                \
      def<f32(halves<bf16>, halves<bf16>, f32, u32)>("V_DOT2_F32_BF16@" GENERATION,               \
                                                     [](auto a, auto b, auto c, auto fields) {    \
                                                       return NAME##_dot2_signed<bf16>(a, b, c,   \
                                                                                       fields);   \
                                                     }),                                          \
      def<f32(halves<f16>, halves<f16>, old<f32>)>(                                               \
          "V_DOT2C_F32_F16@" GENERATION,                                                          \
          [](auto a, auto b, auto c) { return NAME##_dot2<f16>(a, b, c); }),                      \
      def<f32(halves<bf16>, halves<bf16>, old<f32>)>(                                             \
          "V_DOT2C_F32_BF16@" GENERATION,                                                         \
          [](auto a, auto b, auto c) { return NAME##_dot2<bf16>(a, b, c); }),                     \
      def<f16(halves<f16>, halves<f16>, f16)>(                                                    \
          "V_DOT2_F16_F16@" GENERATION,                                                           \
          [](auto a, auto b, auto c) { return NAME##_dot2_narrow<f16>(a, b, c); }),               \
      def<bf16(halves<bf16>, halves<bf16>, bf16)>(                                                \
          "V_DOT2_BF16_BF16@" GENERATION,                                                         \
          [](auto a, auto b, auto c) { return NAME##_dot2_narrow<bf16>(a, b, c); })
    HIPSIGHT_RDNA_DOTS("RDNA3", rdna3),
    HIPSIGHT_RDNA_DOTS("RDNA4", rdna4),
#undef HIPSIGHT_RDNA_DOTS

    def<f32(u32, u32, f32, u32)>(
        "V_DOT4_F32_FP8_FP8",
        [](auto a, auto b, auto c, auto fields) { return dot4_fp8_fp8(a, b, c, fields); }),
    def<f32(u32, u32, f32, u32)>(
        "V_DOT4_F32_FP8_BF8",
        [](auto a, auto b, auto c, auto fields) { return dot4_fp8_bf8(a, b, c, fields); }),
    def<f32(u32, u32, f32, u32)>(
        "V_DOT4_F32_BF8_FP8",
        [](auto a, auto b, auto c, auto fields) { return dot4_bf8_fp8(a, b, c, fields); }),
    def<f32(u32, u32, f32, u32)>(
        "V_DOT4_F32_BF8_BF8",
        [](auto a, auto b, auto c, auto fields) { return dot4_bf8_bf8(a, b, c, fields); }),
    def<f32(halves<f16>, halves<f16>, halves<f16>, u32)>(
        "V_FMA_MIX_F32",
        [](auto a, auto b, auto c, auto fields) { return fma_mix(a, b, c, fields); }),
    def<f16(halves<f16>, halves<f16>, halves<f16>, u32)>(
        "V_FMA_MIXLO_F16", [](auto a, auto b, auto c,
                              auto fields) { return to_float<f16>(fma_mix(a, b, c, fields)); }),
    def<f16(halves<f16>, halves<f16>, halves<f16>, u32)>(
        "V_FMA_MIXHI_F16", [](auto a, auto b, auto c,
                              auto fields) { return to_float<f16>(fma_mix(a, b, c, fields)); }),
    def<f32(halves<f16>, halves<f16>, halves<f16>, u32)>(
        "V_MAD_MIX_F32",
        [](auto a, auto b, auto c, auto fields) { return mad_mix(a, b, c, fields); }),
    def<f16(halves<f16>, halves<f16>, halves<f16>, u32)>(
        "V_MAD_MIXLO_F16", [](auto a, auto b, auto c,
                              auto fields) { return to_float<f16>(mad_mix(a, b, c, fields)); }),
    def<f16(halves<f16>, halves<f16>, halves<f16>, u32)>(
        "V_MAD_MIXHI_F16", [](auto a, auto b, auto c,
                              auto fields) { return to_float<f16>(mad_mix(a, b, c, fields)); }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
