#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hipsight::check {

/// Something wrong that a launch did: one cause, however often it happened.
struct Finding {
  std::string tool;         ///< "memcheck"
  std::string text;         ///< what is wrong, in a line; then kernel, instruction, source and lane
  std::uint64_t count = 0;  ///< accesses of lanes
  std::uint64_t address = 0;  ///< of the instruction in its code object: findings are in this order
};

}  // namespace hipsight::check
