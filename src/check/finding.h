#pragma once

#include <cstdint>
#include <string>

#include "engine/events.h"
#include "hipsight/values.h"

namespace hipsight::check {

/// Something wrong that a launch did: one cause, however often it happened.
struct Finding {
  std::string tool;         ///< "memcheck", "racecheck", "leakcheck"
  std::string text;         ///< what is wrong, in a line; then kernel, instruction, source and lane
  std::uint64_t count = 0;  ///< accesses of lanes; of races, workgroups
  std::uint64_t address = 0;  ///< of the instruction in its code object: findings are in this order
  std::uint64_t other = 0;    ///< of the one that it collides with
  std::string kernel = {};    ///< demangled; empty: the host did it
  Location at = {}, second = {};  ///< both instructions; the second one of races only
};

/// Where an instruction is. Of one that comes from HIP's own headers or clang's, the line of the
/// program nearest to it.
Location location_of(const engine::Listing& listing, const isa::Instruction& instruction);
/// The same for people: "races.hip:22: 0x1a58 ds_read_b32 v5, v3".
std::string place_text(const engine::Listing& listing, const isa::Instruction& instruction);
/// Whether it comes from those headers: __syncthreads(), atomicAdd() and the like.
bool is_of_headers(const engine::Listing& listing, const isa::Instruction& instruction);

}  // namespace hipsight::check
