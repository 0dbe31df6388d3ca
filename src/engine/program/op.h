#pragma once

#include <cstddef>
#include <cstdint>

namespace hipsight::isa {
struct Instruction;
struct Shape;
}  // namespace hipsight::isa

namespace hipsight::engine {

struct Wave;
struct Op;

/// Executes one op and gives the next one, or null when the wave stops (Wave::stop says why, and
/// Wave::resume where).
using Run = const Op* (*)(Wave&, const Op*);

/// Where a source of an op is: bytes from the wave, or an address of the module's constants.
enum class Base : std::uint8_t { Wave, Constant };

/// Where a 16-bit result goes in its register, and what becomes of the other half.
enum class Half : std::uint8_t { Zero, KeepHigh, KeepLow };

/// Op::flags.
namespace flag {
constexpr std::uint8_t write_exec = 1;  ///< v_cmpx
constexpr std::uint8_t write_bits = 2;  ///< the bit result has a place to go
constexpr std::uint8_t backward = 4;    ///< a branch to itself or to what comes before it
constexpr std::uint8_t whole_rows = 8;  ///< leads to code for waves of Wave::whole_rows
}  // namespace flag

/// A pre-decoded instruction: operands resolved to places. Sources are read in slices of 16 lanes;
/// a uniform source is one slice read again and again (step 0). What plain vector instructions need
/// lies in the first 64 bytes, a line of the host's cache.
struct alignas(64) Op {
  Run run = nullptr;
  std::uint64_t src[4]{};  ///< byte offset or address of each source
  std::int64_t imm = 0;
  std::uint32_t dst = 0;  ///< byte offset in the wave
  Base base[4]{};
  std::uint8_t step[4]{};      ///< bytes to the next slice: 64 or 0
  std::uint8_t broadcast = 0;  ///< bit i: source i is a scalar register, to be spread
  std::uint8_t prepare = 0;    ///< bit i: source i has modifiers or lane selects
  bool finish = false;         ///< the result has modifiers, or replaces only part of the register
  std::uint8_t flags = 0;

  std::uint32_t bit_dst = 0;  ///< byte offset of the scalar register for carry, mask or SCC results
  std::uint32_t origin[4]{};  ///< byte offset of the register behind a broadcast or prepared source
  std::uint8_t vector_origin = 0;  ///< bit i: `origin[i]` is a vector register
  Half half = Half::Zero;          ///< where a 16-bit result goes
  bool plain = false;  ///< operands are whole registers or constants, and nothing is modified
  std::uint32_t counter = 0;   ///< index of the region that begins here
  const Op* target = nullptr;  ///< of a branch
  const isa::Instruction* instruction = nullptr;
  const isa::Shape* shape = nullptr;
};

}  // namespace hipsight::engine
