#pragma once
// What kernels of one work-item are written in. This folder is compiled twice, for the GPU and for
// the host, from the same text: only this file and group.h know which it is.

#include <cstdint>
#include <limits>
#include <type_traits>

#ifdef __HIP__
#define DEVICE __device__
#define DEVICE_TABLE static __device__ const
#else
#include "../result.h"
#define DEVICE inline
#define DEVICE_TABLE inline const
#endif
/// A function that is called, not inlined, in optimised code too.
#define CALLED [[gnu::noinline]] DEVICE

/// Before a loop that is to stay one: less code, and arrays in memory.
#define ROLLED _Pragma("clang loop unroll(disable)")

namespace host_test {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using f16 = _Float16;
using f32 = float;
using f64 = double;

template <class T>
inline constexpr bool is_float =
    std::is_same_v<T, f16> || std::is_same_v<T, f32> || std::is_same_v<T, f64>;
template <class T>
inline constexpr int width = 8 * sizeof(T);

/// The unsigned integer as wide as T.
template <class T>
using Bits = std::conditional_t<
    sizeof(T) == 8, u64,
    std::conditional_t<sizeof(T) == 4, u32, std::conditional_t<sizeof(T) == 2, u16, u8>>>;
/// The unsigned type in which arithmetic on an integer type T wraps, as T itself is promoted.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, u64, u32>;

template <class T>
DEVICE constexpr Bits<T> bits(T value) {
  return __builtin_bit_cast(Bits<T>, value);
}
template <class T>
DEVICE constexpr T from_bits(u64 word) {
  return __builtin_bit_cast(T, static_cast<Bits<T>>(word));
}

#ifdef __HIP__
/// Takes the results of a work-item: one row of `stride` words for each of them.
class Out {
 public:
  DEVICE Out(u64* at, u32 stride) : at_(at), stride_(stride) {}
  template <class T>
  DEVICE void put(T value) {
    *at_ = bits(value);
    at_ += stride_;
  }

 private:
  u64* at_;
  u32 stride_;
};
#define PUT(value) out.put(value)
#else
/// Takes the results of a work-item with what they are.
class Out {
 public:
  template <class T>
  void put(T value, const char* text) {
    constexpr Kind kind = !is_float<T>             ? Kind::integer
                          : std::is_same_v<T, f16> ? Kind::f16
                          : std::is_same_v<T, f32> ? Kind::f32
                                                   : Kind::f64;
    results.push_back({bits(value), kind, text});
  }
  std::vector<Result> results;
};
#define PUT(value) out.put(value, #value)
#endif

/// A case is a struct with a name, the type of its inputs, and the function of a work-item.
#define CASE_NAME(text) static constexpr const char* name = text

}  // namespace host_test
