#pragma once
// Cube maps, and the reduction of huge angles.

#include "engine/interpret/lanes/floats.h"

namespace hipsight::engine::HIPSIGHT_HOST_ISA {

/// Of three values the one for the axis along which (x, y, z) is longest; z, then y, in ties.
template <int N>
inline Lanes<isa::f32, N> along_longest(Lanes<isa::f32, N> x, Lanes<isa::f32, N> y,
                                        Lanes<isa::f32, N> z, Lanes<isa::f32, N> if_x,
                                        Lanes<isa::f32, N> if_y, Lanes<isa::f32, N> if_z) {
  const auto ax = absolute(x), ay = absolute(y), az = absolute(z);
  return select((az >= ax) & (az >= ay), if_z, select(ay >= ax, if_y, if_x));
}
/// Number of the face: +x, -x, +y, -y, +z, -z.
template <int N>
inline Lanes<isa::f32, N> cube_face(Lanes<isa::f32, N> x, Lanes<isa::f32, N> y,
                                    Lanes<isa::f32, N> z) {
  const auto face = [](Lanes<isa::f32, N> along, float positive) {
    return select(along < 0, positive + 1, Lanes<isa::f32, N>(positive));
  };
  return along_longest(x, y, z, face(x, 0), face(y, 2), face(z, 4));
}
/// Coordinates on the face, not yet divided by the axis.
template <int N>
inline Lanes<isa::f32, N> cube_s(Lanes<isa::f32, N> x, Lanes<isa::f32, N> y, Lanes<isa::f32, N> z) {
  return along_longest(x, y, z, select(x < 0, z, negate(z)), x, select(z < 0, negate(x), x));
}
template <int N>
inline Lanes<isa::f32, N> cube_t(Lanes<isa::f32, N> x, Lanes<isa::f32, N> y, Lanes<isa::f32, N> z) {
  return along_longest(x, y, z, negate(y), select(y < 0, negate(z), z), negate(y));
}
template <int N>
inline Lanes<isa::f32, N> cube_axis(Lanes<isa::f32, N> x, Lanes<isa::f32, N> y,
                                    Lanes<isa::f32, N> z) {
  return mul(along_longest(x, y, z, x, y, z), 2.0f);
}

/// 53 bits of 2/pi for the reduction of `angle`: those from bit 53 * segment on, further down for
/// huge angles. Beyond the table 0, as LLVM folds the instruction.
template <int N>
inline Lanes<isa::f64, N> two_over_pi(Lanes<isa::f64, N> angle, Lanes<isa::u32, N> segment) {
  static constexpr std::uint32_t digits[]{
      0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
      0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
      0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b,
      0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
      0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1,
      0x1f8d5d08, 0x56033046};
  constexpr std::uint32_t count = sizeof digits / sizeof *digits;
  Lanes<isa::f64, N> mantissa;
  Lanes<isa::i32, N> scale;
  for (int i = 0; i < N; ++i) {
    const auto exponent = static_cast<std::uint32_t>(bits(angle).v[i] >> 52 & 2047);
    const std::uint32_t shift = (segment.v[i] & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
    const std::uint32_t at = shift / 32, rest = shift % 32;
    std::uint64_t top = 0;
    if (at + 2 < count) {
      top = std::uint64_t{digits[at]} << 32 | digits[at + 1];
      if (rest) top = top << rest | digits[at + 2] >> (32 - rest);
    }
    mantissa.v[i] = static_cast<double>(top >> 11);
    scale.v[i] = -53 - static_cast<int>(shift) + (exponent >= 1968 ? 128 : 0);
  }
  return ldexp(mantissa, scale);
}

}  // namespace hipsight::engine::HIPSIGHT_HOST_ISA
