// Which instances are built: those of every change, or every one, on demand (./dev kernels).
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#ifdef HIPSIGHT_EVERY_INSTANCE
inline constexpr bool every_instance = true;
#else
inline constexpr bool every_instance = false;
#endif

/// Sizes of heads: all, or some of them.
using AllHeads = std::integer_sequence<int, 64, 96, 128, 192, 256>;
template <int... heads>
using EveryHeadOr =
    std::conditional_t<every_instance, AllHeads, std::integer_sequence<int, heads...>>;

/// The heads as numbers.
template <int... heads>
std::vector<int> numbers(std::integer_sequence<int, heads...>) {
  return {heads...};
}

/// f(std::integral_constant<int, head>) for each, until it says true.
template <class F, int... heads>
bool any_of(std::integer_sequence<int, heads...>, F f) {
  return (f(std::integral_constant<int, heads>()) || ...);
}
