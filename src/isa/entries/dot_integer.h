#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {
namespace parts {

/// Part `i` of `bits` bits of a 32-bit value, extended by its type.
template <int bits>
inline constexpr auto part =
    [](auto a, int i) { return (a << (32 - bits - i * bits)) >> (32 - bits); };
/// The sum of `f` over the parts.
template <int bits>
inline constexpr auto sum = [](auto a, auto b, auto f) {
  auto total = f(part<bits>(a, 0), part<bits>(b, 0));
  for (int i = 1; i < 32 / bits; ++i) total = total + f(part<bits>(a, i), part<bits>(b, i));
  return total;
};
template <int bits>
inline constexpr auto dot =
    [](auto a, auto b) { return sum<bits>(a, b, [](auto x, auto y) { return x * y; }); };
/// Signed where the bit of `is_signed` (bit 0 for a, bit 1 for b) is set.
template <int bits>
inline constexpr auto dot_mixed = [](auto a, auto b, auto is_signed) {
  // A part with its top bit set is 2^bits less when it is signed.
  const auto less_a = (is_signed & 1) << bits, less_b = (is_signed & 2) << (bits - 1);
  return sum<bits>(a, b, [&](auto x, auto y) {
    return (x - (x >> (bits - 1)) * less_a) * (y - (y >> (bits - 1)) * less_b);
  });
};

inline constexpr auto distance = [](auto a, auto b) { return max(a, b) - min(a, b); };
inline constexpr auto sad8 = [](auto a, auto b) { return sum<8>(a, b, distance); };
/// Bytes that are 0 in `b` do not count.
inline constexpr auto masked_sad8 = [](auto a, auto b) {
  return sum<8>(a, b, [](auto x, auto y) { return select(y == 0, 0, distance(x, y)); });
};
/// Four sums of 16 bits: of `a` from byte 0, 1, 2 and 3 on, each added to its part of `c`.
inline constexpr auto four_sads = [](auto a, auto b, auto c, auto sad) {
  const auto from = [&](int i) {
    const auto all = sad(to<u32>(a >> (8 * i)), b) + to<u32>(c >> (16 * i));
    return to<u64>(all & 0xffff) << (16 * i);
  };
  return from(0) | from(1) | from(2) | from(3);
};

}  // namespace parts

inline constexpr Entries dot_integer_entries{
    def<i32(i32, i32, i32)>("V_DOT2_I32_I16",
                            [](auto a, auto b, auto c) { return parts::dot<16>(a, b) + c; }),
    def<u32(u32, u32, u32)>("V_DOT2_U32_U16",
                            [](auto a, auto b, auto c) { return parts::dot<16>(a, b) + c; }),
    def<i32(i32, i32, i32)>("V_DOT4_I32_I8",
                            [](auto a, auto b, auto c) { return parts::dot<8>(a, b) + c; }),
    def<u32(u32, u32, u32)>("V_DOT4_U32_U8",
                            [](auto a, auto b, auto c) { return parts::dot<8>(a, b) + c; }),
    def<i32(i32, i32, i32)>("V_DOT8_I32_I4",
                            [](auto a, auto b, auto c) { return parts::dot<4>(a, b) + c; }),
    def<u32(u32, u32, u32)>("V_DOT8_U32_U4",
                            [](auto a, auto b, auto c) { return parts::dot<4>(a, b) + c; }),
    def<i32(i32, i32, old<i32>)>("V_DOT2C_I32_I16",
                                 [](auto a, auto b, auto d) { return parts::dot<16>(a, b) + d; }),
    def<i32(i32, i32, old<i32>)>("V_DOT4C_I32_I8",
                                 [](auto a, auto b, auto d) { return parts::dot<8>(a, b) + d; }),
    def<i32(i32, i32, old<i32>)>("V_DOT8C_I32_I4",
                                 [](auto a, auto b, auto d) { return parts::dot<4>(a, b) + d; }),
    // The fourth operand is the encoding's NEG field.
    def<u32(u32, u32, u32, u32)>(
        "V_DOT4_I32_IU8",
        [](auto a, auto b, auto c, auto neg) { return parts::dot_mixed<8>(a, b, neg) + c; }),
    def<u32(u32, u32, u32, u32)>(
        "V_DOT8_I32_IU4",
        [](auto a, auto b, auto c, auto neg) { return parts::dot_mixed<4>(a, b, neg) + c; }),

    // Saturating. Sums of eight- and four-bit products are far from the ends of 32 bits.
    def<i32(i32, i32, i32)>(
        "V_DOT4_I32_I8_CLAMP",
        [](auto a, auto b, auto c) { return add_saturate(parts::dot<8>(a, b), c); }),
    def<u32(u32, u32, u32)>(
        "V_DOT4_U32_U8_CLAMP",
        [](auto a, auto b, auto c) { return add_saturate(parts::dot<8>(a, b), c); }),
    def<i32(i32, i32, i32)>(
        "V_DOT8_I32_I4_CLAMP",
        [](auto a, auto b, auto c) { return add_saturate(parts::dot<4>(a, b), c); }),
    def<u32(u32, u32, u32)>(
        "V_DOT8_U32_U4_CLAMP",
        [](auto a, auto b, auto c) { return add_saturate(parts::dot<4>(a, b), c); }),
    def<i32(u32, u32, i32, u32)>("V_DOT4_I32_IU8_CLAMP",
                                 [](auto a, auto b, auto c, auto neg) {
                                   return add_saturate(as<i32>(parts::dot_mixed<8>(a, b, neg)), c);
                                 }),
    def<i32(u32, u32, i32, u32)>("V_DOT8_I32_IU4_CLAMP",
                                 [](auto a, auto b, auto c, auto neg) {
                                   return add_saturate(as<i32>(parts::dot_mixed<4>(a, b, neg)), c);
                                 }),
    def<i32(i32, i32, i32)>("V_DOT2_I32_I16_CLAMP",
                            [](auto a, auto b, auto c) {
                              const auto product = [](auto x, auto y) { return to<i64>(x * y); };
                              return saturate<i32>(parts::sum<16>(a, b, product) + to<i64>(c));
                            }),
    def<u32(u32, u32, u32)>("V_DOT2_U32_U16_CLAMP",
                            [](auto a, auto b, auto c) {
                              const auto product = [](auto x, auto y) { return to<u64>(x * y); };
                              return saturate<u32>(parts::sum<16>(a, b, product) + to<u64>(c));
                            }),
};

inline constexpr Entries sad_entries{
    def<u32(u32, u32, u32)>("V_SAD_U8",
                            [](auto a, auto b, auto c) { return parts::sad8(a, b) + c; }),
    def<u32(u32, u32, u32)>("V_SAD_HI_U8",
                            [](auto a, auto b, auto c) { return (parts::sad8(a, b) << 16) + c; }),
    def<u32(u32, u32, u32)>(
        "V_SAD_U16",
        [](auto a, auto b, auto c) { return parts::sum<16>(a, b, parts::distance) + c; }),
    def<u32(u32, u32, u32)>("V_SAD_U32",
                            [](auto a, auto b, auto c) { return parts::distance(a, b) + c; }),
    def<u32(u32, u32, u32)>("V_MSAD_U8",
                            [](auto a, auto b, auto c) { return parts::masked_sad8(a, b) + c; }),
    def<u32(u32, u32, u32)>(
        "V_SAD_U8_CLAMP",
        [](auto a, auto b, auto c) { return add_saturate(parts::sad8(a, b), c); }),
    def<u32(u32, u32, u32)>(
        "V_SAD_HI_U8_CLAMP",
        [](auto a, auto b, auto c) { return add_saturate(parts::sad8(a, b) << 16, c); }),
    def<u32(u32, u32, u32)>("V_SAD_U16_CLAMP",
                            [](auto a, auto b, auto c) {
                              return add_saturate(parts::sum<16>(a, b, parts::distance), c);
                            }),
    def<u32(u32, u32, u32)>(
        "V_SAD_U32_CLAMP",
        [](auto a, auto b, auto c) { return add_saturate(parts::distance(a, b), c); }),
    def<u32(u32, u32, u32)>(
        "V_MSAD_U8_CLAMP",
        [](auto a, auto b, auto c) { return add_saturate(parts::masked_sad8(a, b), c); }),
    def<u64(u64, u32, u64)>(
        "V_QSAD_PK_U16_U8",
        [](auto a, auto b, auto c) { return parts::four_sads(a, b, c, parts::sad8); }),
    def<u64(u64, u32, u64)>(
        "V_MQSAD_PK_U16_U8",
        [](auto a, auto b, auto c) { return parts::four_sads(a, b, c, parts::masked_sad8); }),
    // Average of bytes; the low bit of each byte of c rounds up.
    def<u32(u32, u32, u32)>("V_LERP_U8",
                            [](auto a, auto b, auto c) {
                              const auto round = c & (a ^ b) & 0x01010101;
                              return (a & b) + (((a ^ b) & 0xfefefefe) >> 1) + round;
                            }),
    def<u16(u32)>("V_SAT_PK_U8_I16",
                  [](auto a) {
                    const auto v = as<i32>(a);
                    const auto byte = [](auto x) { return max(min(x, 255), 0); };
                    return as<u16>(byte((v << 16) >> 16) | byte(v >> 16) << 8);
                  }),
    // CDNA4
    def<u16(i32, i32, i32)>("V_ASHR_PK_I8_I32",
                            [](auto a, auto b, auto c) {
                              const auto byte = [](auto x) { return max(min(x, 127), -128) & 255; };
                              const auto n = c & 31;
                              return as<u16>(byte(a >> n) | byte(b >> n) << 8);
                            }),
    def<u16(i32, i32, i32)>("V_ASHR_PK_U8_I32",
                            [](auto a, auto b, auto c) {
                              const auto byte = [](auto x) { return max(min(x, 255), 0); };
                              const auto n = c & 31;
                              return as<u16>(byte(a >> n) | byte(b >> n) << 8);
                            }),
};

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
