#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string_view>

namespace hipsight::isa {

class Decoder;

/// The processors whose instruction sets hipsight has, one per set.
inline constexpr std::array instruction_sets{"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"};

/// Machine code of one instruction: as long as the longest one.
using Words = std::array<std::uint32_t, 5>;
inline std::span<const std::byte> bytes_of(const Words& words) {
  return std::as_bytes(std::span(words));
}

/// Calls `use` with words of every opcode of every encoding (but images, exports and
/// interpolation), `tries` times each or until it returns false, with operands and modifiers by
/// chance: many of them zero, so that opcodes which have no such field decode too, and all kinds of
/// source operands. Not all words decode: an opcode does not take all operands. Last come words
/// that do.
void for_every_opcode(Decoder& decoder, unsigned tries, std::mt19937& random,
                      const std::function<bool(const Words&)>& use);

/// Whether an instruction takes the operands of its words, by its text: LLVM decodes others, too,
/// and marks them ("/*Invalid register...*/").
bool takes_its_operands(std::string_view text);

/// What is no part of compute, by what mnemonics begin with, and why.
struct LeftOut {
  std::string_view prefix, why;
};
std::span<const LeftOut> left_out();
bool is_left_out(std::string_view mnemonic);

}  // namespace hipsight::isa
