#pragma once
// Masks of lanes in scalar registers, seen one lane at a time.

#include <array>
#include <cstdint>
#include <optional>

#include "engine/program/op.h"

namespace hipsight::engine {

struct RegisterFile;

/// A function of three bits: bit a + 2 b + 4 c says what it gives.
using TruthTable = std::uint8_t;

/// A scalar instruction that does the same to each lane's bits: of its two sources and of EXEC.
struct MaskOp {
  TruthTable result = 0, exec = 0;
  bool writes_scc = false;
};
/// What an op does to masks, found by running it on made-up ones; nothing if it mixes lanes, or
/// depends on more.
std::optional<MaskOp> mask_op_of(const Op& op, const RegisterFile& file);

/// What is known of one lane's bit of a mask.
struct LaneBit {
  enum class Kind : std::uint8_t { Zero, One, Initial, Unknown };
  Kind kind = Kind::Unknown;
  unsigned place = 0;  ///< Initial: what the mask at this place was

  static constexpr LaneBit zero() { return {Kind::Zero, 0}; }
  static constexpr LaneBit initial(unsigned place) { return {Kind::Initial, place}; }
  bool operator==(const LaneBit&) const = default;
};
LaneBit apply(TruthTable table, const std::array<LaneBit, 3>& bits);

}  // namespace hipsight::engine
