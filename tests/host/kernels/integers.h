#pragma once
// Integer arithmetic of every width; unsigned where C++ would leave an overflow undefined.

#include "item.h"

namespace host_test {

template <class T>
DEVICE T least(T a, T b) {
  return a < b ? a : b;
}
template <class T>
DEVICE T greatest(T a, T b) {
  return a > b ? a : b;
}

template <class T>
struct IntegerArithmetic {
  CASE_NAME("integer arithmetic");
  using Input = T;
  DEVICE static void run(T a, T b, T c, T d, Out& out) {
    using W = Wrapping<T>;
    PUT(T(W(a) + W(b)));
    PUT(T(W(a) - W(b)));
    PUT(T(W(a) * W(b)));
    PUT(T(W(0) - W(a)));
    PUT(T(W(a) * W(b) + W(c)));
    PUT(T(W(a) + W(b) + W(c)));
    PUT(T((W(a) << 3) + W(b)));
    PUT(T(W(a) * 12345 - W(b) * 6));
    PUT(T(__builtin_elementwise_add_sat(a, b)));
    PUT(T(__builtin_elementwise_sub_sat(a, b)));
    T r;
    PUT(__builtin_add_overflow(a, b, &r));
    PUT(r);
    PUT(__builtin_sub_overflow(a, b, &r));
    PUT(r);
    if constexpr (sizeof(T) < 8) {  // of 64 bits it needs a function of compiler-rt for signed T
      PUT(__builtin_mul_overflow(a, b, &r));
      PUT(r);
    }
    // The mean without overflow, rounded down.
    PUT(T((a & b) + ((a ^ b) >> 1)));
  }
};

template <class T>
struct IntegerLogic {
  CASE_NAME("integer logic, shifts, comparisons");
  using Input = T;
  DEVICE static void run(T a, T b, T c, T d, Out& out) {
    using W = Wrapping<T>;
    const int n = static_cast<int>(W(b) & (width<T> - 1));
    PUT(T(a & b));
    PUT(T(a | b));
    PUT(T(a ^ b));
    PUT(T(~a));
    PUT(T(a & ~b));
    PUT(T(~(a | b)));
    PUT(T(~(a ^ b)));
    PUT(T((a & b) | c));
    PUT(T(a | b | c));
    PUT(T(a ^ b ^ c));
    PUT(T((a & b) | (~a & c)));
    PUT(T((a & b) | (b & c) | (a & c)));
    PUT(T(W(a) << n));
    PUT(T(a >> n));
    PUT(T(Bits<T>(a) >> n));
    PUT(T((W(a) << n) | W(c)));
    PUT(T((W(a) + W(b)) << (W(c) & 7)));
    PUT(T(a >> 1));
    PUT(T(W(a) << 5));
    PUT(a == b);
    PUT(a != b);
    PUT(a < b);
    PUT(a <= b);
    PUT(a > b);
    PUT(a >= b);
    PUT(a == 0 && (b < c || d == 1));
    PUT(least(a, b));
    PUT(greatest(a, b));
    PUT(least(least(a, b), c));
    PUT(greatest(greatest(a, b), c));
    PUT(greatest(least(a, greatest(b, c)), least(b, c)));
    PUT(least(greatest(a, T(3)), T(100)));
    PUT(T(a > b ? W(a) - W(b) : W(b) - W(a)));
    PUT(T(a < 0 ? W(0) - W(a) : W(a)));
    PUT(T((a > 0) - (a < 0)));
    PUT(a < b ? c : d);
  }
};

/// Division where it is defined; elsewhere 0.
template <class T>
DEVICE bool can_divide(T a, T b) {
  return b != 0 && !(std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == T(-1));
}
template <class T>
struct IntegerDivision {
  CASE_NAME("integer division");
  using Input = T;
  DEVICE static void run(T a, T b, T c, T d, Out& out) {
    const bool defined = can_divide(a, b);
    PUT(T(defined ? a / b : 0));
    PUT(T(defined ? a % b : 0));
    const T odd = T(d | 3);
    PUT(T(can_divide(c, odd) ? c / odd : 0));
    const T small = T((b & 15) + 1);
    PUT(T(a / small));
    PUT(T(a % small));
    PUT(T(a / 7));
    PUT(T(a % 10));
    PUT(T(a / 16));
    PUT(T(a % 8));
    PUT(T(a / T(-3)));
  }
};

/// High half of a 64-bit product.
DEVICE u64 multiply_high(u64 a, u64 b) {
  return static_cast<u64>((static_cast<unsigned __int128>(a) * b) >> 64);
}
DEVICE i64 multiply_high(i64 a, i64 b) {
  return static_cast<i64>((static_cast<__int128>(a) * b) >> 64);
}

struct WideIntegers {
  CASE_NAME("products and sums of more bits");
  using Input = u64;
  DEVICE static void run(u64 a, u64 b, u64 c, u64 d, Out& out) {
    const u32 a32 = u32(a), b32 = u32(b >> 7);
    const i32 sa = i32(a32), sb = i32(b32);
    PUT(u64(a32) * b32);
    PUT(i64(sa) * sb);
    PUT(u64(a32) * b32 + c);
    PUT(u64(i64(sa) * sb) + c);
    PUT(u32(u64(a32) * b32 >> 32));
    PUT(i32(i64(sa) * sb >> 32));
    PUT(u64(i64(sa) * i64(u64(b32))));
    PUT(multiply_high(a, b));
    PUT(multiply_high(i64(a), i64(b)));
    PUT((a32 & 0xffffff) * (b32 & 0xffffff));
    PUT((a32 & 0xffffff) * (b32 & 0xffffff) + u32(c));
    PUT(u32((i32(a32 << 8) >> 8) * i64(i32(b32 << 8) >> 8)));
    PUT((a32 >> 16) * (b32 & 0xffff) + u32(c));
    PUT(u32(i32(i16(a)) * i32(i16(b))) + u32(d));
    const unsigned __int128 x = static_cast<unsigned __int128>(a) << 64 | b;
    const unsigned __int128 y = static_cast<unsigned __int128>(c) << 64 | d;
    PUT(u64(x + y));
    PUT(u64((x + y) >> 64));
    PUT(u64(x - y));
    PUT(u64((x - y) >> 64));
    PUT(u64((x * y) >> 64));
    PUT(u64((x << (a & 127)) >> 64));
    PUT(u64(x >> (b & 127)));
    PUT(x < y);
  }
};

/// Two or four elements in a register: packed instructions.
struct PackedIntegers {
  CASE_NAME("packed 16-bit integers");
  using Input = u64;
  template <class T>
  using Pair = T __attribute__((ext_vector_type(2)));
  template <class T>
  DEVICE static u32 word(Pair<T> v) {
    return u32(u16(v.x)) | u32(u16(v.y)) << 16;
  }
  template <class T>
  DEVICE static Pair<T> pair(u64 a) {
    return Pair<T>{T(u16(a)), T(u16(a >> 16))};
  }
  template <class T>
  DEVICE static void one_type(Pair<T> a, Pair<T> b, Pair<T> c, Out& out) {
    PUT(word<T>(a * b + c));
    PUT(word<T>(a - b));
    PUT(word<T>(a.yx + b));
    PUT(word<T>(a.xx * b.yx - c.yy));
    PUT(word<T>(__builtin_elementwise_min(a, b)));
    PUT(word<T>(__builtin_elementwise_max(a, b)));
    PUT(word<T>(__builtin_elementwise_add_sat(a, b)));
    PUT(word<T>(__builtin_elementwise_sub_sat(a, b)));
    PUT(word<T>(a >> (b & 15)));
    PUT(word<T>((a & b) ^ c));
    PUT(word<T>(Pair<T>{a.y, b.x}));
  }
  DEVICE static void run(u64 a, u64 b, u64 c, u64 d, Out& out) {
    one_type<u16>(pair<u16>(a), pair<u16>(b), pair<u16>(c), out);
    // Signed products could overflow.
    one_type<i16>(pair<i16>(a) & 0xff, pair<i16>(b) & 0x7f, pair<i16>(c) >> 2, out);
    PUT(word<i16>(__builtin_elementwise_min(pair<i16>(a), pair<i16>(b))));
    PUT(word<i16>(__builtin_elementwise_max(pair<i16>(a), pair<i16>(b))));
    PUT(word<i16>(__builtin_elementwise_add_sat(pair<i16>(a), pair<i16>(b))));
    PUT(word<i16>(__builtin_elementwise_sub_sat(pair<i16>(a), pair<i16>(b))));
    PUT(word<i16>(pair<i16>(a) >> (pair<i16>(b) & 15)));
    PUT(word<u16>(pair<u16>(a) << (pair<u16>(b) & 15)));
  }
};

}  // namespace host_test
