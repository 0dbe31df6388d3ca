#pragma once

#include <string>
#include <string_view>

#include "isa/instruction.h"

namespace hipsight::test {

/// What an instruction's fields say otherwise than LLVM's text of it; "" when nothing. Not compared
/// are values that only time or messages depend on: wait counters, delays, cache policies of GFX12.
std::string difference(const isa::Instruction& instruction, std::string_view text);

}  // namespace hipsight::test
