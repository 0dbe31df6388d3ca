#pragma once

#include <cstdint>
#include <string_view>

namespace hipsight {

/// FNV-1a (Fowler, Noll and Vo), of 64 bits: to tell things apart, not to resist anybody.
class Fnv {
 public:
  constexpr void add(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }
  constexpr void add(std::string_view text) {
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  constexpr std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace hipsight
