#pragma once

#include "isa/entry.h"

namespace hipsight::isa::HIPSIGHT_HOST_ISA {

/// The random number after this one: a Galois shift register whose polynomial is 0xc5 (CDNA4 ISA,
/// V_PRNG_B32).
inline constexpr auto next_random = [](auto a) { return (a << 1) ^ ((0 - (a >> 31)) & 0xc5); };

}  // namespace hipsight::isa::HIPSIGHT_HOST_ISA
