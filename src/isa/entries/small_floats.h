#pragma once

#include "isa/entries/random.h"
#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

/// Conversions of bf16 and of floats of eight bits and fewer. "@OCP": GFX950's and GFX12's meaning
/// of the FP8 and BF8 of GFX940's instruction. Which byte or word is read is an operand (`at`),
/// made from SDWA or op_sel by the encoding; it also says which byte is written.
inline constexpr Entries small_float_entries{
    def<f32(bf16)>("V_CVT_F32_BF16", [](auto a) { return to_float<f32>(a); }),
    def<u32(f32, f32)>("V_CVT_PK_BF16_F32",
                       [](auto a, auto b) { return pack(to_float<bf16>(a), to_float<bf16>(b)); }),
    def<u32(f32, f32)>("V_CVT_PK_F16_F32",
                       [](auto a, auto b) { return pack(to_float<f16>(a), to_float<f16>(b)); }),
    def<bf16(f32, u32)>("V_CVT_SR_BF16_F32", [](auto a, auto seed) { return to_bfloat(a, seed); }),
    def<u16(f32, u32)>("V_CVT_SR_F16_F32",
                       [](auto a, auto seed) { return to<u16>(to_f16_bits(a, seed)); }),

    def<f32(u32, u32)>("V_CVT_F32_FP8",
                       [](auto a, auto at) { return from_fp8_fnuz(byte_of(a, at)); }),
    def<f32(u32, u32)>("V_CVT_F32_FP8@OCP",
                       [](auto a, auto at) { return from_fp8(byte_of(a, at)); }),
    def<f32(u32, u32)>("V_CVT_F32_BF8",
                       [](auto a, auto at) { return from_bf8_fnuz(byte_of(a, at)); }),
    def<f32(u32, u32)>("V_CVT_F32_BF8@OCP",
                       [](auto a, auto at) { return from_bf8(byte_of(a, at)); }),
    def<u64(u32, u32)>("V_CVT_PK_F32_FP8",
                       [](auto a, auto at) {
                         const auto word = word_of(a, at);
                         return pair(from_fp8_fnuz(word & 255), from_fp8_fnuz(word >> 8));
                       }),
    def<u64(u32, u32)>("V_CVT_PK_F32_FP8@OCP",
                       [](auto a, auto at) {
                         const auto word = word_of(a, at);
                         return pair(from_fp8(word & 255), from_fp8(word >> 8));
                       }),
    def<u64(u32, u32)>("V_CVT_PK_F32_BF8",
                       [](auto a, auto at) {
                         const auto word = word_of(a, at);
                         return pair(from_bf8_fnuz(word & 255), from_bf8_fnuz(word >> 8));
                       }),
    def<u64(u32, u32)>("V_CVT_PK_F32_BF8@OCP",
                       [](auto a, auto at) {
                         const auto word = word_of(a, at);
                         return pair(from_bf8(word & 255), from_bf8(word >> 8));
                       }),
    def<u16(f32, f32)>(
        "V_CVT_PK_FP8_F32",
        [](auto a, auto b) { return to<u16>(to_fp8_fnuz(a) | to_fp8_fnuz(b) << 8); }),
    def<u16(f32, f32)>("V_CVT_PK_FP8_F32@OCP",
                       [](auto a, auto b) { return to<u16>(to_fp8(a) | to_fp8(b) << 8); }),
    def<u16(f32, f32)>(
        "V_CVT_PK_BF8_F32",
        [](auto a, auto b) { return to<u16>(to_bf8_fnuz(a) | to_bf8_fnuz(b) << 8); }),
    def<u16(f32, f32)>("V_CVT_PK_BF8_F32@OCP",
                       [](auto a, auto b) { return to<u16>(to_bf8(a) | to_bf8(b) << 8); }),
    def<u32(f32, u32)>("V_CVT_SR_FP8_F32", [](auto a, auto seed) { return to_fp8_fnuz(a, seed); }),
    def<u32(f32, u32)>("V_CVT_SR_FP8_F32@OCP", [](auto a, auto seed) { return to_fp8(a, seed); }),
    def<u32(f32, u32)>("V_CVT_SR_BF8_F32", [](auto a, auto seed) { return to_bf8_fnuz(a, seed); }),
    def<u32(f32, u32)>("V_CVT_SR_BF8_F32@OCP", [](auto a, auto seed) { return to_bf8(a, seed); }),
};

/// GFX950: with a scale, a power of two that multiplies small floats on the way out of them.
inline constexpr Entries scaled_float_entries{
    def<u16(f32, f32, f32)>("V_CVT_SCALEF32_PK_FP8_F32",
                            [](auto a, auto b, auto scale) {
                              return to<u16>(to_fp8(scaled_down(a, scale)) |
                                             to_fp8(scaled_down(b, scale)) << 8);
                            }),
    def<u16(halves<f16>, f32)>("V_CVT_SCALEF32_PK_FP8_F16",
                               [](auto a, auto scale) {
                                 const auto first = scaled_down(to_float<f32>(low<f16>(a)), scale);
                                 const auto second =
                                     scaled_down(to_float<f32>(high<f16>(a)), scale);
                                 return to<u16>(to_fp8(first) | to_fp8(second) << 8);
                               }),
    def<u16(halves<bf16>, f32)>("V_CVT_SCALEF32_PK_FP8_BF16",
                                [](auto a, auto scale) {
                                  const auto first =
                                      scaled_down(to_float<f32>(low<bf16>(a)), scale);
                                  const auto second =
                                      scaled_down(to_float<f32>(high<bf16>(a)), scale);
                                  return to<u16>(to_fp8(first) | to_fp8(second) << 8);
                                }),
    def<f32(u32, f32, u32)>(
        "V_CVT_SCALEF32_F32_FP8",
        [](auto a, auto scale, auto at) { return scaled_up(from_fp8(byte_of(a, at)), scale); }),
    def<f16(u32, f32, u32)>("V_CVT_SCALEF32_F16_FP8",
                            [](auto a, auto scale, auto at) {
                              return to_float<f16>(scaled_up(from_fp8(byte_of(a, at)), scale));
                            }),
    def<u64(u32, f32, u32)>("V_CVT_SCALEF32_PK_F32_FP8",
                            [](auto a, auto scale, auto at) {
                              const auto word = word_of(a, at);
                              return pair(scaled_up(from_fp8(word & 255), scale),
                                          scaled_up(from_fp8(word >> 8), scale));
                            }),
    def<u32(u32, f32, u32)>("V_CVT_SCALEF32_PK_F16_FP8",
                            [](auto a, auto scale, auto at) {
                              const auto word = word_of(a, at);
                              return pack(to_float<f16>(scaled_up(from_fp8(word & 255), scale)),
                                          to_float<f16>(scaled_up(from_fp8(word >> 8), scale)));
                            }),
    def<u32(u32, f32, u32)>("V_CVT_SCALEF32_PK_BF16_FP8",
                            [](auto a, auto scale, auto at) {
                              const auto word = word_of(a, at);
                              return pack(to_float<bf16>(scaled_up(from_fp8(word & 255), scale)),
                                          to_float<bf16>(scaled_up(from_fp8(word >> 8), scale)));
                            }),
    def<u16(f32, f32, f32)>("V_CVT_SCALEF32_PK_BF8_F32",
                            [](auto a, auto b, auto scale) {
                              return to<u16>(to_bf8(scaled_down(a, scale)) |
                                             to_bf8(scaled_down(b, scale)) << 8);
                            }),
    def<u16(halves<f16>, f32)>("V_CVT_SCALEF32_PK_BF8_F16",
                               [](auto a, auto scale) {
                                 const auto first = scaled_down(to_float<f32>(low<f16>(a)), scale);
                                 const auto second =
                                     scaled_down(to_float<f32>(high<f16>(a)), scale);
                                 return to<u16>(to_bf8(first) | to_bf8(second) << 8);
                               }),
    def<u16(halves<bf16>, f32)>("V_CVT_SCALEF32_PK_BF8_BF16",
                                [](auto a, auto scale) {
                                  const auto first =
                                      scaled_down(to_float<f32>(low<bf16>(a)), scale);
                                  const auto second =
                                      scaled_down(to_float<f32>(high<bf16>(a)), scale);
                                  return to<u16>(to_bf8(first) | to_bf8(second) << 8);
                                }),
    def<f32(u32, f32, u32)>(
        "V_CVT_SCALEF32_F32_BF8",
        [](auto a, auto scale, auto at) { return scaled_up(from_bf8(byte_of(a, at)), scale); }),
    def<f16(u32, f32, u32)>("V_CVT_SCALEF32_F16_BF8",
                            [](auto a, auto scale, auto at) {
                              return to_float<f16>(scaled_up(from_bf8(byte_of(a, at)), scale));
                            }),
    def<u64(u32, f32, u32)>("V_CVT_SCALEF32_PK_F32_BF8",
                            [](auto a, auto scale, auto at) {
                              const auto word = word_of(a, at);
                              return pair(scaled_up(from_bf8(word & 255), scale),
                                          scaled_up(from_bf8(word >> 8), scale));
                            }),
    def<u32(u32, f32, u32)>("V_CVT_SCALEF32_PK_F16_BF8",
                            [](auto a, auto scale, auto at) {
                              const auto word = word_of(a, at);
                              return pack(to_float<f16>(scaled_up(from_bf8(word & 255), scale)),
                                          to_float<f16>(scaled_up(from_bf8(word >> 8), scale)));
                            }),
    def<u32(u32, f32, u32)>("V_CVT_SCALEF32_PK_BF16_BF8",
                            [](auto a, auto scale, auto at) {
                              const auto word = word_of(a, at);
                              return pack(to_float<bf16>(scaled_up(from_bf8(word & 255), scale)),
                                          to_float<bf16>(scaled_up(from_bf8(word >> 8), scale)));
                            }),
    def<u64(u32, f32, u32)>("V_CVT_SCALEF32_PK_F32_FP4",
                            [](auto a, auto scale, auto at) {
                              const auto byte = byte_of(a, at);
                              return pair(scaled_up(from_fp4(byte & 15), scale),
                                          scaled_up(from_fp4(byte >> 4), scale));
                            }),
    def<u32(u32, f32, u32)>("V_CVT_SCALEF32_PK_F16_FP4",
                            [](auto a, auto scale, auto at) {
                              const auto byte = byte_of(a, at);
                              return pack(to_float<f16>(scaled_up(from_fp4(byte & 15), scale)),
                                          to_float<f16>(scaled_up(from_fp4(byte >> 4), scale)));
                            }),
    def<u32(halves<f16>, f32)>("V_CVT_SCALEF32_PK_FP4_F16",
                               [](auto a, auto scale) {
                                 return to_fp4(scaled_down(to_float<f32>(low<f16>(a)), scale)) |
                                        to_fp4(scaled_down(to_float<f32>(high<f16>(a)), scale))
                                            << 4;
                               }),
    def<u32(u32, f32, u32)>("V_CVT_SCALEF32_PK_BF16_FP4",
                            [](auto a, auto scale, auto at) {
                              const auto byte = byte_of(a, at);
                              return pack(to_float<bf16>(scaled_up(from_fp4(byte & 15), scale)),
                                          to_float<bf16>(scaled_up(from_fp4(byte >> 4), scale)));
                            }),
    def<u32(halves<bf16>, f32)>("V_CVT_SCALEF32_PK_FP4_BF16",
                                [](auto a, auto scale) {
                                  return to_fp4(scaled_down(to_float<f32>(low<bf16>(a)), scale)) |
                                         to_fp4(scaled_down(to_float<f32>(high<bf16>(a)), scale))
                                             << 4;
                                }),
    def<u32(f32, f32, f32)>("V_CVT_SCALEF32_PK_FP4_F32",
                            [](auto a, auto b, auto scale) {
                              return to_fp4(scaled_down(a, scale)) | to_fp4(scaled_down(b, scale))
                                                                         << 4;
                            }),
    def<u32(u64, u32, f32)>("V_CVT_SCALEF32_SR_PK_FP4_F32",
                            [](auto a, auto seed, auto scale) {
                              const auto first = as<f32>(to<u32>(a)),
                                         second = as<f32>(to<u32>(a >> 32));
                              return to_fp4(scaled_down(first, scale), seed) |
                                     to_fp4(scaled_down(second, scale), next_random(seed)) << 4;
                            }),
    def<u32(halves<f16>, u32, f32)>(
        "V_CVT_SCALEF32_SR_PK_FP4_F16",
        [](auto a, auto seed, auto scale) {
          return to_fp4(scaled_down(to_float<f32>(low<f16>(a)), scale), seed) |
                 to_fp4(scaled_down(to_float<f32>(high<f16>(a)), scale), next_random(seed)) << 4;
        }),
    def<u32(halves<bf16>, u32, f32)>(
        "V_CVT_SCALEF32_SR_PK_FP4_BF16",
        [](auto a, auto seed, auto scale) {
          return to_fp4(scaled_down(to_float<f32>(low<bf16>(a)), scale), seed) |
                 to_fp4(scaled_down(to_float<f32>(high<bf16>(a)), scale), next_random(seed)) << 4;
        }),
    def<u32(f32, u32, f32)>(
        "V_CVT_SCALEF32_SR_FP8_F32",
        [](auto a, auto seed, auto scale) { return to_fp8(scaled_down(a, scale), seed); }),
    def<u32(f16, u32, f32)>("V_CVT_SCALEF32_SR_FP8_F16",
                            [](auto a, auto seed, auto scale) {
                              return to_fp8(scaled_down(to_float<f32>(a), scale), seed);
                            }),
    def<u32(bf16, u32, f32)>("V_CVT_SCALEF32_SR_FP8_BF16",
                             [](auto a, auto seed, auto scale) {
                               return to_fp8(scaled_down(to_float<f32>(a), scale), seed);
                             }),
    def<u32(f32, u32, f32)>(
        "V_CVT_SCALEF32_SR_BF8_F32",
        [](auto a, auto seed, auto scale) { return to_bf8(scaled_down(a, scale), seed); }),
    def<u32(f16, u32, f32)>("V_CVT_SCALEF32_SR_BF8_F16",
                            [](auto a, auto seed, auto scale) {
                              return to_bf8(scaled_down(to_float<f32>(a), scale), seed);
                            }),
    def<u32(bf16, u32, f32)>("V_CVT_SCALEF32_SR_BF8_BF16",
                             [](auto a, auto seed, auto scale) {
                               return to_bf8(scaled_down(to_float<f32>(a), scale), seed);
                             }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
