#pragma once

#include <cstdint>
#include <random>

namespace hipsight::test {

/// Values for tests of integers: edges of every width, small shift counts and random ones.
class Values {
 public:
  explicit Values(std::uint64_t seed) : random_(seed) {}
  std::uint64_t random() { return random_(); }
  std::uint64_t next() {
    static constexpr std::uint32_t edges[]{
        0,          1,          2,          3,          7,          8,          12,
        13,         15,         16,         31,         32,         33,         63,
        64,         65,         127,        128,        129,        255,        256,
        0x7fff,     0x8000,     0x8001,     0xffff,     0x10000,    0x7fffff,   0x800000,
        0xffffff,   0x1000000,  0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff,
        0x80808080, 0x7f7f7f7f, 0x80008000, 0x7fff7fff, 0xffff8000};
    const std::uint64_t r = random_();
    const auto edge = [&](unsigned shift) {
      return std::uint64_t{edges[(r >> shift & 0xff) % std::size(edges)]};
    };
    switch (r & 7) {
      case 0:
        return random_();
      case 1:
        return random_() & 0xff00ff00ff00ff;
      case 2:
        return edge(8) | random_() << 32;
      case 3:
        return random_() >> (r >> 8 & 63);
      case 4:
        return 0 - (random_() >> (r >> 8 & 63));
      default:
        return edge(8) | edge(16) << 32;
    }
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace hipsight::test
