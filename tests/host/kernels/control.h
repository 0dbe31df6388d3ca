#pragma once
// Control flow that differs from lane to lane.

#include "item.h"

namespace host_test {

struct Loops {
  CASE_NAME("loops");
  using Input = u32;
  DEVICE static u32 greatest_divisor(u32 a, u32 b) {
    while (b) {
      const u32 r = a % b;
      a = b;
      b = r;
    }
    return a;
  }
  DEVICE static u32 collatz(u32 n) {
    u32 steps = 0;
    for (u64 x = n; x > 1 && steps < 200; steps++) x = x & 1 ? 3 * x + 1 : x / 2;
    return steps;
  }
  DEVICE static u32 root(u32 x) {  // floor of the square root, bit by bit
    u32 r = 0;
    for (u32 bit = 1u << 30; bit; bit >>= 2) {
      if (x >= r + bit) {
        x -= r + bit;
        r = (r >> 1) + bit;
      } else {
        r >>= 1;
      }
    }
    return r;
  }
  DEVICE static u32 nested(u32 a, u32 b) {
    u32 sum = 0;
    for (u32 i = 0; i < (a & 15); i++) {
      if ((i ^ b) % 5 == 4) continue;
      for (u32 j = i; j < (b & 31); j++) {
        if (sum > 5000) break;
        if ((j & 3) == (a >> 30)) continue;
        sum += i * j + 1;
        if (sum % 97 == 13) return sum << 8 | j;
      }
      sum ^= i << 4;
    }
    return sum;
  }
  /// A loop with two entries.
  DEVICE static u32 two_entries(u32 a, u32 b) {
    u32 n = 0;
    if (a & 1) goto inside;
  again:
    a = a * 5 + 1;
    n += 1;
  inside:
    b ^= a >> 3;
    n += b & 3;
    if (n < (a >> 27) + 8) goto again;
    return n ^ b;
  }
  DEVICE static void run(u32 a, u32 b, u32 c, u32 d, Out& out) {
    PUT(greatest_divisor(a, b));
    PUT(collatz(a & 0xffff));
    PUT(root(a));
    PUT(nested(a, b));
    PUT(nested(c, d));
    PUT(two_entries(a, c));
    u32 x = a;
    do {
      x = x * 1664525 + 1013904223;
    } while ((x & 7) != (b & 7));
    PUT(x);
    // The loop ends on data of the lane, and a variable lives past it.
    u32 last = d, count = 0;
    for (u32 i = 0; i < 64; i++) {
      if (a >> (i & 31) & 1) {
        last = i;
        if (++count == (c & 15)) break;
      }
    }
    PUT(last);
    PUT(count);
  }
};

struct Branches {
  CASE_NAME("branches and switches");
  using Input = i32;
  DEVICE static i32 sorted_into(i32 x) {
    if (x < 0) return x < -1000 ? -2 : -1;
    if (x == 0) return 0;
    if (x < 10) return 1;
    if (x < 1000 && (x & 1)) return 2;
    return x > 1 << 20 ? 4 : 3;
  }
  DEVICE static u32 table(u32 op) {  // becomes a table in memory
    switch (op) {
      case 0:
        return 17;
      case 1:
        return 4;
      case 2:
        return 99;
      case 3:
        return 1000003;
      case 4:
        return 5;
      case 5:
        return 0xdeadbeef;
      case 6:
        return 31;
      case 7:
        return 8;
      case 9:
        return 77;
      default:
        return 2;
    }
  }
  /// An interpreter: eight instructions of four bits.
  DEVICE static u32 interpret(u32 program, u32 x, u32 y) {
    for (int i = 0; i < 8; i++, program >>= 4) {
      switch (program & 15) {
        case 0:
          x += y;
          break;
        case 1:
          x -= y;
          break;
        case 2:
          x *= y;
          break;
        case 3:
          x = y ? x / y : ~0u;
          break;
        case 4:
          x ^= y << 3;
          [[fallthrough]];
        case 5:
          y = x >> 5 | x << 27;
          break;
        case 6: {
          const u32 t = x;
          x = y;
          y = t;
          break;
        }
        case 7:
          x = __builtin_popcountg(x) + y;
          break;
        case 8:
          if (x & 1) return x ^ y;
          break;
        case 9:
          program = program * 9 + 7;
          break;
        case 10:
          x = x > y ? x : y;
          break;
        case 12:
          y = ~y;
          break;
        default:
          x += 0x9e3779b9u;
          break;
      }
    }
    return x + 3 * y;
  }
  DEVICE static void run(i32 a, i32 b, i32 c, i32 d, Out& out) {
    PUT(sorted_into(a));
    PUT(sorted_into(b >> 16));
    PUT(table(u32(a) % 12));
    PUT(interpret(u32(a), u32(b), u32(c)));
    PUT(interpret(u32(d), u32(a), u32(b)));
    u32 r = 0;
    if (a > b) {
      r |= 1;
      if (c > d) {
        r |= 2;
        if (a > d)
          r |= 4;
        else
          r |= 8;
      } else if (c == d || u32(a) % 3 == 0) {
        r |= 16;
      }
    } else {
      r |= b > c ? 32 : 64;
      if (!(d & 1)) r = r * 3 + 1;
    }
    PUT(r);
    PUT((a < 0) ^ (b < 0) && (c & 1 || d & 2));
  }
};

}  // namespace host_test
