#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hipsight::check {

/// Something wrong that a launch did: one cause, however often it happened.
struct Finding {
  std::string tool;         ///< "memcheck", "racecheck"
  std::string text;         ///< what is wrong, in a line; then kernel, instruction, source and lane
  std::uint64_t count = 0;  ///< accesses of lanes; of races, workgroups
  std::uint64_t address = 0;  ///< of the instruction in its code object: findings are in this order
  std::uint64_t other = 0;    ///< of the one that it collides with
};

}  // namespace hipsight::check
