#pragma once

#include "isa/instruction.h"

namespace hipsight::isa {

/// The V_MFMA_LD_SCALE_B32 that a matrix instruction with scales (V_MFMA_SCALE_*) begins with: two
/// instructions that decode as one. Defined in encoding.cpp.
Instruction scale_load(const Instruction& scaled);

}  // namespace hipsight::isa
