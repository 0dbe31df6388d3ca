#pragma once

#include <cstdint>

#include "machine.h"

namespace hipsight::test {

/// How many rounds of random operands to take instead of so many: HIPSIGHT_OPERANDS times as many,
/// if that is set.
int operand_rounds(int usual);

/// Of random operands: another for each host instruction set.
inline std::uint64_t seed(std::uint64_t usual, const HostIsa& host_isa) {
  return usual + 1000 * static_cast<std::uint64_t>(&host_isa - host_isas().data());
}

/// Counts tuples of operands that an instruction ran on; the sum is printed at the end where
/// HIPSIGHT_OPERANDS is set.
void count_operands(int tuples);

}  // namespace hipsight::test
