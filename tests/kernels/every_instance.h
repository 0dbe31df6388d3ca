// Which instances are built: those of every change, or every one, on demand (./dev kernels).
#pragma once

#include <hip/hip_runtime_api.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "hipsight/kernels/arch/current.h"
#include "hipsight/kernels/device.h"

#ifdef HIPSIGHT_EVERY_INSTANCE
inline constexpr bool every_instance = true;
#else
inline constexpr bool every_instance = false;
#endif

/// Whether T is the 8 bits that users of a GPU have: its own, or OCP's.
template <class T>
constexpr bool is_own_fp8(hipsight::kernels::Architecture gpu) {
  using namespace hipsight::kernels;
  return std::is_same_v<T, fp8_e4m3_fnuz> == (gpu == Architecture::cdna3);
}
/// Whether kernels that are built of these alone are built of T now: on the host, which starts
/// them, of both.
template <class T>
inline constexpr bool builds_fp8 =
    every_instance || hipsight::kernels::arch::current == hipsight::kernels::Architecture::host ||
    is_own_fp8<T>(hipsight::kernels::arch::current);

/// Whether the GPU that the program runs on has them of T.
template <class T>
bool has_fp8() {
  return every_instance || is_own_fp8<T>(hipsight::kernels::current_device().architecture);
}

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
