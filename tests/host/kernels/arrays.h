#pragma once
// Arrays of a work-item, indexed by its data, and tables in the code object.

#include "item.h"

namespace host_test {

DEVICE_TABLE u32 primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
DEVICE_TABLE f64 reciprocals[8] = {1,       1.0 / 2, 1.0 / 3, 1.0 / 4,
                                   1.0 / 5, 1.0 / 6, 1.0 / 7, 1.0 / 8};
DEVICE_TABLE i8 steps[12] = {1, -1, 2, -2, 3, -3, 5, -5, 8, -8, 13, -13};
DEVICE_TABLE u16 squares[20] = {0,   1,   4,   9,   16,  25,  36,  49,  64,  81,
                                100, 121, 144, 169, 196, 225, 256, 289, 324, 361};
struct Rule {
  u8 next[2];
  u16 add;
};
DEVICE_TABLE Rule rules[5] = {
    {{1, 2}, 3}, {{0, 3}, 50}, {{4, 1}, 700}, {{3, 0}, 9000}, {{2, 4}, 11}};
/// A table of addresses: relocated when the code object is loaded.
DEVICE_TABLE u32* const halves[2] = {primes, primes + 8};

/// Too large for registers, so in scratch memory.
struct LocalArrays {
  CASE_NAME("local arrays");
  using Input = u64;
  DEVICE static void run(u64 a, u64 b, u64 c, u64 d, Out& out) {
    // Insertion sort of bytes.
    u8 bytes[512];
    ROLLED for (int i = 0; i < 512; i++) bytes[i] = 0;
    ROLLED for (int i = 0; i < 32; i++) {
      const u64 word = i < 8 ? a : i < 16 ? b : i < 24 ? c : d;
      bytes[i] = u8(word >> (i % 8 * 8));
    }
    const int n = 8 + int(a % 25);
    ROLLED for (int i = 1; i < n; i++) {
      const u8 x = bytes[i];
      int j = i;
      ROLLED for (; j > 0 && bytes[j - 1] > x; j--) bytes[j] = bytes[j - 1];
      bytes[j] = x;
    }
    u32 folded = 0;
    ROLLED for (int i = 0; i < 32; i++) folded = folded * 33 ^ bytes[i];
    PUT(folded);
    PUT(bytes[b % 32]);
    // A histogram, and words written and read at other widths.
    u16 counts[256] = {};
    ROLLED for (int i = 0; i < 32; i++) counts[bytes[i]]++;
    PUT(counts[a & 255]);
    PUT(counts[bytes[5]]);
    union {
      u64 wide[128];
      u32 words[256];
      u16 shorts[512];
      i8 chars[1024];
    } mix;
    ROLLED for (int i = 0; i < 128; i += 4) {
      mix.wide[i] = a, mix.wide[i + 1] = b, mix.wide[i + 2] = c, mix.wide[i + 3] = d;
    }
    mix.shorts[d & 511] = u16(a >> 5);
    mix.chars[c & 1023] = i8(b);
    mix.words[(a >> 8) & 255] += 77;
    mix.wide[(b >> 4) & 127] ^= d;
    PUT(mix.wide[a & 127]);
    PUT(mix.wide[(a >> 9) & 127]);
    PUT(mix.chars[c & 1023]);
    PUT(mix.shorts[d & 511]);
    PUT(u16(mix.chars[(d & 511) * 2]));
    PUT(i32(mix.shorts[(b >> 30) & 511]) * 3);
    // Unaligned copies.
    u8 raw[512];
    ROLLED for (int i = 0; i < 512; i++) raw[i] = u8(a + i);
    __builtin_memcpy(raw + 3, &b, 8);
    __builtin_memcpy(raw + (c & 255) + 13, &c, 4);
    u64 back[2];
    __builtin_memcpy(back, raw + (d & 15), 16);
    PUT(back[0]);
    PUT(back[1]);
    // Doubles, and a pointer that walks.
    f64 values[90];
    ROLLED for (int i = 0; i < 90; i++) values[i] = f64(i32(a >> i % 32)) * 0.5;
    const f64* p = values + (c % 90);
    f64 sum = 0;
    ROLLED for (int i = 0; i < 7; i++) {
      sum += *p;
      p = (d >> i) & 1 ? p + 1 : p + 31;
      if (p >= values + 90) p -= 90;
    }
    PUT(sum);
  }
};

/// Small enough for registers, whose numbers are then computed.
struct SmallArrays {
  CASE_NAME("arrays in registers");
  using Input = u32;
  DEVICE static void run(u32 a, u32 b, u32 c, u32 d, Out& out) {
    u32 words[16];
    for (int i = 0; i < 16; i++) words[i] = a * u32(i) + b;
    words[c & 15] = d;
    words[(c >> 4) & 15] += 3;
    PUT(words[b & 15]);
    PUT(words[c & 15]);
    // The same number in all lanes.
    u32 sum = 0;
    ROLLED for (int i = 0; i < 40; i++) {
      u32& word = words[i & 15];
      word = word * 5 + words[(i + 3) & 15];
      sum ^= word;
    }
    PUT(sum);
    f64 pairs[6];
    for (int i = 0; i < 6; i++) pairs[i] = f64(i32(a >> i));
    pairs[d % 6] = 0.5;
    ROLLED for (int i = 0; i < 18; i++) pairs[i % 6] += pairs[(i + 1) % 6];
    PUT(pairs[c % 6]);
    f16 halves[8];
    for (int i = 0; i < 8; i++) halves[i] = f16(u8(b >> i));
    halves[a & 7] = f16(-1);
    PUT(halves[(a >> 3) & 7]);
    u8 bytes[16];
    for (int i = 0; i < 16; i++) bytes[i] = u8(c >> i);
    bytes[d & 15] += 100;
    PUT(bytes[(d >> 4) & 15]);
  }
};

struct Tables {
  CASE_NAME("tables in the code object");
  using Input = u32;
  DEVICE static void run(u32 a, u32 b, u32 c, u32 d, Out& out) {
    PUT(primes[a & 15]);
    PUT(primes[5]);
    PUT(reciprocals[b & 7] * f64(i32(c)));
    PUT(steps[c % 12]);
    PUT(squares[d % 20]);
    u32 state = 0, sum = 0;
    ROLLED for (u32 bits = a, i = 0; i < 32; i++, bits >>= 1) {
      const Rule& rule = rules[state];
      sum += rule.add * (i + 1);
      state = rule.next[bits & 1];
    }
    PUT(state);
    PUT(sum);
    PUT(halves[a >> 31][b & 7]);
    int low = 0, high = 16;  // binary search
    while (low < high) {
      const int middle = (low + high) / 2;
      if (primes[middle] < (d & 63))
        low = middle + 1;
      else
        high = middle;
    }
    PUT(low);
  }
};

}  // namespace host_test
