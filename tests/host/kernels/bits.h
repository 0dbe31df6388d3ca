#pragma once
// Bit tricks.

#include "integers.h"
#include "item.h"

namespace host_test {

template <class T>
struct BitCounts {
  CASE_NAME("bit counts and reversals");
  using Input = T;
  DEVICE static void run(T a, T b, T c, T d, Out& out) {
    PUT(i32(__builtin_popcountg(a)));
    PUT(i32(__builtin_popcountg(a)) + i32(b & 255));
    PUT(i32(__builtin_clzg(a, width<T>)));
    PUT(i32(__builtin_ctzg(a, width<T>)));
    PUT(i32(__builtin_ctzg(a, -1)) + 1);
    PUT(i32(__builtin_popcountg(a)) & 1);
    PUT(T(a & (T(0) - a)));
    PUT(T(a & (a - 1)));
    PUT(T(T(1) << (width<T> - 1 - __builtin_clzg(T(a | 1)))));
    PUT(T(a << (b & (width<T> - 1)) | a >> ((T(0) - b) & (width<T> - 1))));
    if constexpr (sizeof(T) == 4) {
      PUT(__builtin_bitreverse32(a));
      PUT(__builtin_bswap32(a));
      PUT(__builtin_rotateleft32(a, 11));
    }
    if constexpr (sizeof(T) == 8) {
      PUT(__builtin_bitreverse64(a));
      // Not __builtin_bswap64: LLVM 22 copies half of its operand for gfx1100 at -O0.
      PUT(u64(__builtin_bswap32(u32(a))) << 32 | __builtin_bswap32(u32(a >> 32)));
      PUT(__builtin_rotateright64(a, 23));
    }
    if constexpr (sizeof(T) == 2) {
      PUT(__builtin_bitreverse16(a));
      PUT(__builtin_bswap16(a));
    }
    const i64 s = std::make_signed_t<T>(a);  // redundant sign bits
    PUT(i32(__builtin_clzll(u64(s < 0 ? ~s : s) | 1)));
  }
};

struct BitFields {
  CASE_NAME("bit fields, funnel shifts, bytes");
  using Input = u32;
  struct Fields {
    u32 low : 5, mid : 13, high : 14;
    i32 a : 9, b : 23;
  };
  DEVICE static u32 spread(u32 x) {  // bits of the low half to even places
    x &= 0xffff;
    x = (x | x << 8) & 0x00ff00ff;
    x = (x | x << 4) & 0x0f0f0f0f;
    x = (x | x << 2) & 0x33333333;
    return (x | x << 1) & 0x55555555;
  }
  DEVICE static u32 byte(u32 x, int i) { return x >> (8 * i) & 255; }
  DEVICE static void run(u32 a, u32 b, u32 c, u32 d, Out& out) {
    const int offset = b & 31, count = c & 31;
    PUT((a >> offset) & ((1u << count) - 1));
    PUT(i32(a << (31 - count)) >> (31 - count));
    PUT(i32(a << 7) >> 20);
    PUT((a >> 9) & 0x7ff);
    PUT(((1u << count) - 1) << offset);
    PUT((a & ~(255u << 8)) | (b & 255) << 8);
    PUT(u32((u64(a) << 32 | b) >> (c & 31)));
    PUT(u32((u64(a) << 32 | b) >> (64 - (c & 31) - 1)));
    PUT(u32((u64(a) << 32 | b) >> 8));
    PUT((a & 0xff00ff00u) | (b & 0x00ff00ffu));
    PUT(byte(a, 0) << 24 | byte(b, 3) << 16 | byte(a, 2) << 8 | byte(b, 1));
    PUT((a & 0xffff) | b << 16);
    PUT((a >> 16) | (b & 0xffff0000u));
    PUT(spread(a) | spread(b) << 1);
    u32 sad = d, dot = d;
    i32 signed_dot = i32(d >> 1);
    for (int i = 0; i < 4; i++) {
      const u32 x = byte(a, i), y = byte(b, i);
      sad += x > y ? x - y : y - x;
      dot += x * y;
      signed_dot += i32(i8(x)) * i32(i8(y)) / 4;
    }
    PUT(sad);
    PUT(dot);
    PUT(signed_dot);
    u32 dot16 = c;
    dot16 += u32(u16(a)) * u16(b);
    dot16 += (a >> 16) * (b >> 16);
    PUT(dot16);
    Fields f{};
    f.low = a & 31, f.mid = b & 0x1fff, f.high = c & 0x3fff, f.a = i32(d & 0xff),
    f.b = i32(a >> 10);
    f.mid += f.low * 3;
    f.high ^= f.mid;
    PUT(u32(f.low | f.mid << 5));
    PUT(u32(f.high));
    PUT(i32(f.a) + i32(f.b));
    // The place of the n-th set bit, or 32.
    u32 rest = a;
    for (u32 i = 0; i < (b & 7); i++) rest &= rest - 1;
    PUT(i32(__builtin_ctzg(rest, 32)));
    PUT(bool(a >> offset & 1));
    PUT(a & 0x80000000u ? (a << 1) ^ 0x04c11db7u : a << 1);
  }
};

}  // namespace host_test
