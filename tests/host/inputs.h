#pragma once
// Inputs of every type: all pairs of edge values first, then random ones.

#include <random>
#include <vector>

#include "kernels/item.h"

namespace host_test {

/// Values at which the behaviour of T changes.
template <class T>
std::vector<T> edge_values() {
  std::vector<T> edges;
  if constexpr (is_float<T>) {
    using B = Bits<T>;
    const B infinity = sizeof(T) == 8   ? B(0x7ffull << 52)
                       : sizeof(T) == 4 ? B(0xffull << 23)
                                        : B(0x1full << 10);
    const B unit = infinity & ~(infinity << 1);  // lowest bit of the exponent
    const B one = bits(T(1)), quiet = unit >> 1;
    for (const B magnitude : {B(0),
                              B(1),
                              B(unit / 3),
                              B(unit - 1),
                              unit,
                              B(unit + 1),
                              B(one - 2 * unit),
                              B(one - unit),
                              B(one - 1),
                              one,
                              B(one + 1),
                              B(one + unit),
                              bits(T(1.5)),
                              bits(T(2.5)),
                              bits(T(3)),
                              bits(T(255.5)),
                              bits(T(32768)),
                              B(infinity / 2 + one / 2),
                              B(infinity - 1),
                              infinity,
                              B(infinity | quiet | 5),
                              B(infinity | 3)}) {
      edges.push_back(from_bits<T>(magnitude));
      edges.push_back(from_bits<T>(magnitude | ~(B(~B(0)) >> 1)));
    }
  } else {
    using U = Bits<T>;
    for (int shift : {0, 1, 2, 3, 5, 7, 8, 15, 16, 23, 24, 31, 32, 33, 47, 52, 63}) {
      if (shift >= width<T>) break;
      const U power = U(U(1) << shift);
      for (const U value : {U(power - 1), power, U(~power), U(U(0) - power)})
        edges.push_back(T(value));
    }
    edges.push_back(T(0x5555555555555555));
    edges.push_back(T(10));
  }
  return edges;
}

/// Not uniform: magnitudes of all sizes, and for floats more of those that do not overflow.
template <class T>
T random_value(std::mt19937_64& random) {
  const u64 word = random();
  const int choice = int(random() & 3);
  if constexpr (is_float<T>) {
    if (choice == 0) return from_bits<T>(word);
    const f64 mantissa = f64(i64(word)) * 0x1p-63;
    return T(mantissa * f64(1u << (random() % (choice == 1 ? 30 : 12))) / 16);
  } else {
    if (choice == 0) return T(word);
    const u64 small = word >> (random() % 64);
    return T(choice == 1 ? 0 - small : small);
  }
}

inline constexpr u32 item_inputs = 4;
/// Pairs come in steps of this, so that the first few are of all kinds.
inline constexpr u32 prime = 1009;

/// Words [input][item].
template <class T>
std::vector<u64> make_inputs(u32 items, u64 seed) {
  std::mt19937_64 random(seed);
  const std::vector<T> edges = edge_values<T>();
  const auto any = [&] {
    return random() & 1 ? edges[random() % edges.size()] : random_value<T>(random);
  };
  std::vector<u64> words(std::size_t{item_inputs} * items);
  for (u32 item = 0; item < items; item++) {
    const u32 pairs = u32(edges.size() * edges.size());
    const bool paired = item < pairs;
    const T values[item_inputs] = {paired ? edges[item / edges.size()] : random_value<T>(random),
                                   paired ? edges[item % edges.size()] : random_value<T>(random),
                                   any(), any()};
    for (u32 i = 0; i < item_inputs; i++) words[std::size_t{i} * items + item] = bits(values[i]);
  }
  return words;
}

}  // namespace host_test
