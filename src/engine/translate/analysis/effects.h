#pragma once

#include <bitset>
#include <cstdint>

#include "engine/launch/wave.h"
#include "engine/program/op.h"

namespace hipsight::engine {

struct RegisterFile;

/// Places that ops read and write: the registers of a wave, and each kind of memory as a whole.
namespace place {
constexpr unsigned scc = reg::scalar_count;
constexpr unsigned lds = scc + 1, global = lds + 1, scratch = global + 1;
constexpr unsigned temporary = scratch + 1;  ///< registers of Wave::temporary, two for each operand
constexpr unsigned vector = temporary + 2 * Wave::temporaries;
constexpr unsigned count = vector + 640;  ///< 512 registers and what lies behind the last one

/// The place of a byte offset in the wave.
unsigned at(std::uint32_t offset, std::uint32_t register_bytes);
}  // namespace place
using Places = std::bitset<place::count>;

/// What a source of an entry's op is; otherwise it is a scalar register, or a mask in some. One
/// that is prepared has a step, whatever it comes from.
inline bool is_constant(const Op& op, unsigned i) {
  return op.base[i] == Base::Constant;
}
inline bool is_vector(const Op& op, unsigned i) {
  return op.prepare >> i & 1 ? op.vector_origin >> i & 1 : op.step[i] != 0;
}

/// What one op depends on and changes.
struct Effects {
  Places reads, writes;
  /// Whether the sets are complete.
  bool complete = false;
  /// Whether they are and the op only moves data: it may change places with ops that it shares
  /// nothing with. Branches, barriers, changes of MODE and the like stay where they are.
  bool movable = false;
};
Effects effects_of(const Op& op, const RegisterFile& file);

}  // namespace hipsight::engine
