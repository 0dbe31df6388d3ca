#pragma once

#include <cstdint>
#include <string_view>

#include "isa/instruction.h"

namespace hipsight::isa {

/// How sure it is that an instruction gives the hardware's bits.
enum class Fidelity : std::uint8_t {
  Exact,        ///< the manuals, or published measurements, say each bit
  Approximate,  ///< the hardware's bits are known to differ, by no more than is said
  Assumed,      ///< not published: what we took, and why, is said
};
std::string_view text(Fidelity fidelity);

struct FidelityNote {
  Fidelity fidelity = Fidelity::Exact;
  std::string_view why;  ///< empty when exact
};

/// `exact_matrix`: matrix instructions run in exact mode (docs/matrix.md).
FidelityNote fidelity_of(const Instruction& instruction, bool exact_matrix);

}  // namespace hipsight::isa
