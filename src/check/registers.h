#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "engine/events.h"
#include "isa/instruction.h"

namespace hipsight::check {

/// The values of a wave's registers, as far as they were told of.
struct Registers {
  std::array<std::vector<std::uint32_t>, 512> vectors;  ///< AGPRs from 256 on; empty: unknown
  std::array<std::uint32_t, 128> scalars{};

  void set(const engine::Written& one, unsigned lanes) {
    if (one.file == engine::Written::File::Scalar && one.index < scalars.size())
      scalars[one.index] = *one.values;
    if (one.file != engine::Written::File::Vector && one.file != engine::Written::File::Accumulator)
      return;
    auto& to = vectors[one.index + (one.file == engine::Written::File::Accumulator ? 256 : 0)];
    to.resize(lanes);
    for (std::uint64_t left = one.mask; left; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      to[lane] = one.values[lane];
    }
  }
  std::uint32_t at(const isa::Operand& operand, unsigned next, unsigned lane) const {
    if (operand.where == isa::Where::Constant) return operand.value;
    const unsigned index = operand.index + next;
    if (operand.where == isa::Where::Sgpr) return index < scalars.size() ? scalars[index] : 0;
    const auto& from = vectors[(index & 255) + (operand.where == isa::Where::Agpr ? 256 : 0)];
    return lane < from.size() ? from[lane] : 0;
  }
};

}  // namespace hipsight::check
