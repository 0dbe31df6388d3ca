#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code/code_object.h"
#include "isa/instruction.h"

namespace hipsight::analysis {

/// The instructions of a kernel that control may reach from its entry, by branches and by going on
/// to the next one.
struct Listing {
  static constexpr std::size_t nowhere = ~std::size_t{0};

  struct Line {
    isa::Instruction instruction;
    std::size_t next = nowhere;    ///< the line that control goes on to: the one below, if any
    std::size_t target = nowhere;  ///< the line that a branch goes to
  };
  std::vector<Line> lines;  ///< in the order of their addresses
  std::size_t entry = 0;    ///< the line that a wave begins with
  std::string processor;
  bool sram_ecc = false;  ///< 16-bit loads write whole registers
  /// It calls functions, or jumps to where a register says: what is done there is not in the
  /// listing. Control goes on after a call.
  bool leaves = false;
};

/// Of `code`, which begins at `address`, from `entry` on. What does not decode and what lies
/// outside ends a path. @throws Exception when hipsight has no instruction set for the processor.
Listing listing(std::span<const std::byte> code, std::uint64_t address, std::uint64_t entry,
                std::string_view processor);
Listing listing(const code::CodeObject& object, const code::Kernel& kernel);

enum class Scratch : std::uint8_t { None, Load, Store };
/// What each line does with its lanes' scratch memory, where it names it. Compilers keep there what
/// they have spilled, and arrays. FLAT instructions may reach it, too, and are not known to.
std::vector<Scratch> scratch_uses(const Listing& listing, const code::Kernel& kernel);

}  // namespace hipsight::analysis
