#pragma once
// Calls: arguments and results of many kinds, pointers to functions, virtual functions.

#include "item.h"

namespace host_test {

struct Small {
  u8 a;
  i16 b;
  u64 c;
  f32 d;
};
struct Large {
  u32 words[10];
  f64 weight;
  u16 tail[3];
};

CALLED u32 called_many(u32 a, u32 b, u32 c, u32 d, u64 e, u16 f, i8 g, f32 h, f64 i, bool j) {
  return a + b * 3 + (c ^ d) + u32(e >> 13) + f * u32(g) + bits(h + 1.0f) + u32(bits(i * 0.5)) + j;
}
CALLED Small called_small(Small s, u32 x) {
  return {u8(s.a + x), i16(s.b - i32(x & 255)), s.c ^ x, s.d * 2.0f};
}
CALLED Large called_large(const Large& from, Large value, int at) {
  for (int i = 0; i < 10; i++) value.words[i] += from.words[(i + at) % 10] * u32(i + 1);
  value.weight = value.weight + from.weight;
  value.tail[1] = u16(from.tail[2] + at);
  return value;
}
/// Writes through pointers into the caller's frame.
CALLED void called_swap(u32* a, u32* b, i64* sum) {
  const u32 t = *a;
  *a = *b;
  *b = t;
  *sum += i64(*a) - i64(*b);
}
CALLED u32 called_inner(u32 x) {
  return x * 2654435761u ^ x >> 15;
}
CALLED u32 called_outer(u32 x, int n) {
  u32 r = x;
  for (int i = 0; i < n; i++) r = called_inner(r + u32(i)) ^ called_inner(x);
  return r;
}

struct Calls {
  CASE_NAME("calls");
  using Input = u64;
  DEVICE static void run(u64 a, u64 b, u64 c, u64 d, Out& out) {
    const u32 x = u32(a), y = u32(b);
    PUT(called_many(x, y, u32(c), u32(d), c, u16(a), i8(b), f32(i32(x)), f64(i32(y)), a > b));
    const Small s = called_small({u8(a), i16(b), c, f32(i16(d))}, y);
    PUT(s.a);
    PUT(s.b);
    PUT(s.c);
    PUT(s.d);
    Large l{};
    for (int i = 0; i < 10; i++) l.words[i] = x >> i;
    l.weight = f64(i32(y));
    l.tail[2] = u16(c);
    const Large m = called_large(l, l, int(d & 7));
    u32 folded = 0;
    for (int i = 0; i < 10; i++) folded = folded * 31 + m.words[i];
    PUT(folded);
    PUT(m.weight);
    PUT(m.tail[1]);
    u32 p = x, q = y;
    i64 sum = i64(c);
    called_swap(&p, &q, &sum);
    if (a & 1) called_swap(&q, &p, &sum);  // some lanes only
    PUT(p);
    PUT(q);
    PUT(sum);
    PUT(called_outer(x, int(b & 7)));
  }
};

CALLED u32 pointed_add(u32 a, u32 b) {
  return a + b;
}
CALLED u32 pointed_xor(u32 a, u32 b) {
  return (a ^ b) * 5;
}
CALLED u32 pointed_loop(u32 a, u32 b) {
  for (u32 i = 0; i < (b & 7); i++) a = a * 3 + i;
  return a;
}

struct Shape {
  u32 size;
  DEVICE explicit Shape(u32 size) : size(size) {}
  DEVICE virtual u32 area(u32 scale) const { return size * scale; }
  DEVICE virtual u32 corners() const { return 0; }
};
struct Square : Shape {
  using Shape::Shape;
  DEVICE u32 area(u32 scale) const override { return size * size * scale; }
  DEVICE u32 corners() const override { return 4; }
};
struct Star : Shape {
  u32 points;
  DEVICE Star(u32 size, u32 points) : Shape(size), points(points) {}
  DEVICE u32 area(u32 scale) const override { return size * points + scale; }
  DEVICE u32 corners() const override { return 2 * points; }
};
CALLED u32 measured(const Shape& shape, u32 scale) {
  return shape.area(scale) * 16 + shape.corners();
}

struct IndirectCalls {
  CASE_NAME("calls through pointers");
  using Input = u32;
  using Function = u32 (*)(u32, u32);
  DEVICE static void run(u32 a, u32 b, u32 c, u32 d, Out& out) {
    // Lanes that call different functions take turns.
    const Function function = a % 3 == 0 ? pointed_add : a % 3 == 1 ? pointed_xor : pointed_loop;
    PUT(function(b, c));
    const Function other = d & 1 ? function : pointed_loop;
    PUT(other(c, a));
    const Shape plain(a);
    const Square square(b);
    const Star star(c, d & 15);
    const Shape* const shape = d % 3 == 0 ? &plain : d % 3 == 1 ? (const Shape*)&square : &star;
    PUT(measured(*shape, a));
    PUT(measured(square, c));
  }
};

}  // namespace host_test
