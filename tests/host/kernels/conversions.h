#pragma once
// Conversions between all types. A float that the integer cannot hold saturates: C++ leaves it
// open.

#include "floats.h"
#include "item.h"

namespace host_test {

/// Toward zero; beyond To its nearest value, and 0 for a NaN.
template <class To, class From>
DEVICE To saturated(From x) {
  constexpr int digits = std::numeric_limits<To>::digits;
  if (is_nan(x)) return 0;
  // f16 ends below 2^16, so only infinities are above any wider integer.
  constexpr bool all = std::is_same_v<From, f16> && digits >= 16;
  constexpr From above = all ? From(65504) : From(1ull << (digits - 1)) * From(2);
  if (all ? x > above : x >= above) return std::numeric_limits<To>::max();
  if constexpr (std::is_signed_v<To>) {
    if (all ? x < -above : x < -above) return std::numeric_limits<To>::min();
  } else {
    if (x <= From(-1)) return 0;
  }
  return static_cast<To>(x);
}

template <class From>
struct Conversions {
  CASE_NAME("conversions");
  using Input = From;
  template <class To>
  DEVICE static To convert(From x) {
    if constexpr (is_float<From> && !is_float<To>)
      return saturated<To>(x);
    else
      return static_cast<To>(x);
  }
  DEVICE static void run(From a, From b, From c, From d, Out& out) {
    PUT(convert<i8>(a));
    PUT(convert<u8>(a));
    PUT(convert<i16>(a));
    PUT(convert<u16>(a));
    PUT(convert<i32>(a));
    PUT(convert<u32>(a));
    PUT(convert<i64>(a));
    PUT(convert<u64>(a));
    PUT(convert<f16>(a));
    PUT(convert<f32>(a));
    PUT(convert<f64>(a));
    PUT(bool(a));
    if constexpr (is_float<From>) {
      PUT(convert<i32>(__builtin_elementwise_floor(a + From(0.5))));
      PUT(convert<i32>(__builtin_elementwise_rint(b)));
      PUT(convert<u8>(c) + convert<u8>(d) * 256);
      PUT(From(f16(a)) - a);
      PUT(f32(f64(a)));
    } else {
      PUT(f32(u8(a >> (width<From> - 8))));
      PUT(f32(u8(a >> (width<From> - 8) / 2)) * 0.5f);
      PUT(f16(i16(a)) + f16(u16(b)));
      PUT(f64(a) * 0.25 + f64(b));
    }
  }
};

}  // namespace host_test
