#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "isa/instruction.h"

namespace hipsight::isa {

/// Counters of what a wave has under way. GFX9 counts loads and stores together, and LDS and scalar
/// memory; GFX11 tells stores apart; GFX12 has one for each (ISA manuals, "wait counters").
enum class Counter : std::uint8_t { Load, Store, Lds, Scalar };
inline constexpr std::size_t kCounters = 4;

/// The most of each that may still be under way after a wait; none: it does not matter.
using Wait = std::array<std::optional<std::uint8_t>, kCounters>;

/// What an instruction waits for; all none when it is no wait.
Wait wait_of(const Instruction& instruction);

/// Which counters work in step, since one field of the wait covers both: stores count as loads on
/// GFX9, scalar memory as LDS before GFX12.
Counter counter_of(Gfx gfx, Counter kind);

}  // namespace hipsight::isa
