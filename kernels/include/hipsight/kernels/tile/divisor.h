// Division by a number that the host knows before: a GPU has no instruction for it, and takes some
// thirty.
#pragma once

#include <cstdint>

#include "../types.h"

namespace hipsight::kernels {

/// Divides 0 to 2^31 - 1 by a number of 1 to 2^31 - 1: a product and a shift. Source: T. Granlund,
/// P. Montgomery, "Division by invariant integers using multiplication" (PLDI 1994).
struct Divisor {
  int number = 1;
  std::uint32_t factor = 1u << 31;  // 2^(31 + shift) / number, rounded up
  int shift = 0;

  Divisor() = default;
  explicit constexpr Divisor(int by) : number(by < 1 ? 1 : by) {
    while (std::int64_t{1} << shift < number) shift++;
    factor = static_cast<std::uint32_t>(((std::uint64_t{1} << (31 + shift)) + number - 1) / number);
  }

  friend HIPSIGHT_INLINE int operator/(int n, const Divisor& by) {
    const std::uint32_t twice = 2 * static_cast<std::uint32_t>(n);
    return static_cast<int>(static_cast<std::uint32_t>(std::uint64_t{twice} * by.factor >> 32) >>
                            by.shift);
  }
  friend HIPSIGHT_INLINE int operator%(int n, const Divisor& by) { return n - n / by * by.number; }
};

}  // namespace hipsight::kernels
