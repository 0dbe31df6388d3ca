#pragma once
// Floating point: operations that IEEE 754 defines to the last bit, and none else (no libm).

#include "item.h"

namespace host_test {

// Names for the builtins of each type. On the host these become instructions or functions of the C
// library whose results are exact or correctly rounded by definition.
DEVICE f16 root(f16 x) {
  return __builtin_sqrtf16(x);
}
DEVICE f32 root(f32 x) {
  return __builtin_sqrtf(x);
}
DEVICE f64 root(f64 x) {
  return __builtin_sqrt(x);
}
DEVICE f32 fused(f32 a, f32 b, f32 c) {
  return __builtin_fmaf(a, b, c);
}
DEVICE f64 fused(f64 a, f64 b, f64 c) {
  return __builtin_fma(a, b, c);
}
DEVICE f16 fused(f16 a, f16 b, f16 c) {
#ifdef __HIP__
  return __builtin_fmaf16(a, b, c);
#else
  return f16(static_cast<__float128>(a) * b + c);  // exact in 113 bits; hosts have no such fma
#endif
}
DEVICE f32 scaled(f32 x, int n) {
  return __builtin_ldexpf(x, n);
}
DEVICE f64 scaled(f64 x, int n) {
  return __builtin_ldexp(x, n);
}
DEVICE f32 fraction_and_exponent(f32 x, int* n) {
  return __builtin_frexpf(x, n);
}
DEVICE f64 fraction_and_exponent(f64 x, int* n) {
  return __builtin_frexp(x, n);
}
DEVICE f32 remainder(f32 a, f32 b) {
  return __builtin_fmodf(a, b);
}
DEVICE f64 remainder(f64 a, f64 b) {
  return __builtin_fmod(a, b);
}

template <class T>
inline constexpr Bits<T> infinity_bits = sizeof(T) == 8   ? 0x7ffull << 52
                                         : sizeof(T) == 4 ? 0xffull << 23
                                                          : 0x1full << 10;
template <class T>
DEVICE bool is_nan(T x) {
  return x != x;
}
template <class T>
DEVICE bool is_finite(T x) {
  return (bits(x) & infinity_bits<T>) != infinity_bits<T>;
}
/// A NaN made quiet by its bits.
template <class T>
DEVICE T quiet(T x) {
  return is_nan(x) ? from_bits<T>(bits(x) | infinity_bits<T> >> 1) : x;
}

template <class T>
struct FloatArithmetic {
  CASE_NAME("floating-point arithmetic");
  using Input = T;
  DEVICE static void run(T a, T b, T c, T d, Out& out) {
    PUT(a + b);
    PUT(a - b);
    PUT(a * b);
    PUT(a / b);
    PUT(root(a));
    PUT(fused(a, b, c));
    PUT(fused(-a, b, d));
    PUT(fused(a, b, -c));
    PUT(fused(a, T(2), b));
    PUT(a * b + c);  // two roundings: contraction is off
    PUT(a * b - c * d);
    PUT(a + b + c);
    PUT(T(1) / a);
    PUT(c / T(3));
    PUT(T(1) / root(d));
    PUT(a * a + b * b);
    PUT(a * T(2));
    PUT(a * T(0.5) + T(4));
    PUT((((a * T(0.25) + T(-1.5)) * a + b) * a + T(0.1)) * a);
    // A sign or an absolute value as an operand's modifier, and on its own.
    PUT(-a + b);
    PUT(__builtin_elementwise_abs(a) * -b);
    PUT(-__builtin_elementwise_abs(a - b));
    // Of NaNs too these give exact bits, and are compared as integers.
    PUT(bits(-a));
    PUT(bits(__builtin_elementwise_abs(a)));
    PUT(bits(__builtin_elementwise_copysign(a, b)));
  }
};

template <class T>
struct FloatComparison {
  CASE_NAME("comparisons, least and greatest");
  using Input = T;
  DEVICE static void run(T a, T b, T c, T d, Out& out) {
    PUT(a < b);
    PUT(a <= b);
    PUT(a > b);
    PUT(a >= b);
    PUT(a == b);
    PUT(a != b);
    PUT(!(a < b));
    PUT(!(a <= b));
    PUT(!(a > b));
    PUT(!(a >= b));
    PUT(a < b || a > b);
    PUT(!(a < b || a > b));
    PUT(is_nan(a) || is_nan(b));
    PUT(!is_nan(a) && !is_nan(b));
    PUT(a < T(0));
    PUT(-a <= T(1));
    PUT(__builtin_elementwise_abs(a) > b);
    PUT(a < b ? c : d);
    PUT(a == b ? i32(1) : is_finite(c) ? i32(2) : i32(3));
    // Least and greatest by comparing, in each order of the operands.
    PUT(a < b ? a : b);
    PUT(a < b ? b : a);
    PUT(a > b ? a : b);
    PUT(a <= b ? a : b);
    PUT(!(a >= b) ? a : b);
    // The builtins leave open the sign of zero, and what becomes of a signaling NaN.
    const T x = quiet(a), y = quiet(b), z = quiet(c);
    PUT(__builtin_elementwise_minnum(x, y) + T(0));
    PUT(__builtin_elementwise_maxnum(x, y) + T(0));
    PUT(__builtin_elementwise_minnum(__builtin_elementwise_minnum(x, y), z) + T(0));
    PUT(__builtin_elementwise_maxnum(__builtin_elementwise_maxnum(x, y), z) + T(0));
    PUT(__builtin_elementwise_minnum(__builtin_elementwise_maxnum(x, T(-1)), T(3)) + T(0));
    PUT(__builtin_elementwise_minnum(__builtin_elementwise_maxnum(x * y, T(0)), T(1)) + T(0));
    PUT(is_nan(a));
    PUT(is_finite(a));
    PUT(bool(__builtin_isinf(a)));
    PUT(bool(__builtin_isfpclass(a, 0x0090)));  // subnormals
    PUT(bool(__builtin_isfpclass(a, 0x0108)));  // normal numbers
    PUT(bool(__builtin_isfpclass(a, 0x0060)));  // zeros
    PUT(bool(__builtin_isfpclass(a, 0x0001)));  // signaling NaNs
    PUT(bool(__builtin_signbit(a)));
  }
};

template <class T>
struct FloatRounding {
  CASE_NAME("rounding to integral values");
  using Input = T;
  DEVICE static void run(T a, T b, T c, T d, Out& out) {
    PUT(__builtin_elementwise_floor(a));
    PUT(__builtin_elementwise_ceil(a));
    PUT(__builtin_elementwise_trunc(a));
    PUT(__builtin_elementwise_rint(a));
    PUT(__builtin_elementwise_roundeven(a));
    PUT(__builtin_elementwise_round(a));
    PUT(a - __builtin_elementwise_floor(a));
    PUT(a - __builtin_elementwise_trunc(a));
    PUT(__builtin_elementwise_floor(a * T(0.125) + T(0.5)));
  }
};

/// Exponents and remainders, which the host offers for f32 and f64.
template <class T>
struct FloatParts {
  CASE_NAME("exponents and remainders");
  using Input = T;
  DEVICE static void run(T a, T b, T c, T d, Out& out) {
    const int n = i32(bits(c) % 600) - 300;
    PUT(scaled(a, n));
    PUT(scaled(b, -4));
    PUT(scaled(T(1), n));
    int e = 0;
    PUT(fraction_and_exponent(a, &e));
    PUT(is_finite(a) ? e : 0);
    PUT(remainder(a, T(3)));
    // Quotients of up to 2^30: the device takes a step for each few bits of it.
    const T small = scaled(fraction_and_exponent(a, &e), n / 10);
    PUT(remainder(small, is_finite(b) && b != 0 ? fraction_and_exponent(b, &e) : T(0.75)));
    PUT(remainder(is_finite(a) ? T(0) : a, b));
  }
};

/// Two halves or two floats in a register or a pair of them: packed and mixed instructions.
template <class T>
struct PackedFloats {
  CASE_NAME("packed floating point");
  using Input = T;
  using Pair = T __attribute__((ext_vector_type(2)));
  DEVICE static void put(Pair v, Out& out) {
    PUT(v.x);
    PUT(v.y);
  }
  DEVICE static void run(T a, T b, T c, T d, Out& out) {
    const Pair p{a, b}, q{c, d};
    put(p + q, out);
    put(p - q, out);
    put(p * q, out);
    put(-p * q.yx, out);
    put(p.xx * q + p.yx, out);
    put(p.yy + q.yx, out);
    put(Pair{fused(a, c, b), fused(b, d, a)}, out);
    put(Pair{fused(a, c, d), fused(b, c, -d)}, out);
    put(p * T(3) + T(0.1), out);
    const Pair x{quiet(a), quiet(b)}, y{quiet(c), quiet(d)};
    put(__builtin_elementwise_minnum(x, y) + Pair{}, out);
    put(__builtin_elementwise_maxnum(x.yx, -y) + Pair{}, out);
    put(p < q ? p : q, out);
  }
};

/// Halves as inputs of float arithmetic, rounded back or not.
struct MixedFloats {
  CASE_NAME("mixed precision");
  using Input = f16;
  DEVICE static void run(f16 a, f16 b, f16 c, f16 d, Out& out) {
    PUT(f32(a) + f32(b));
    PUT(fused(f32(a), f32(b), f32(c)));
    PUT(fused(-f32(a), f32(b), f32(c) * f32(d)));
    PUT(fused(f32(a), f32(b), 1.5f));
    PUT(f16(fused(f32(a), f32(b), f32(c))));
    // LLVM 22 adds +0 here, in v_fma_mixlo_f16, which changes the sign of a zero.
    PUT(f16(f32(a) * f32(b)) + f16(0));
    PUT(f16(f32(a) * f32(b) + f32(d)));
    PUT(f32(a) * f32(b) + f32(c) * f32(d));
    PUT(f64(a) / f64(b));
    PUT(f16(f64(a) * f64(b)));
  }
};

}  // namespace host_test
