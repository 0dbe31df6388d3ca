#pragma once

#include <cstdint>

#include "code/code_object.h"

namespace hipsight::code {

/// The lanes of a wave, as the descriptor says.
std::uint32_t lanes_of(const Descriptor& descriptor);
/// The vector registers that a wave is given, accumulators with them.
std::uint32_t vector_registers_of(const Descriptor& descriptor, bool rdna);

}  // namespace hipsight::code
