#pragma once

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "isa/instruction.h"

namespace hipsight::isa {

/// What LLVM knows of one processor: its instructions and registers, how they are encoded and
/// written. It serves one thread at a time.
struct LlvmTarget {
  LlvmTarget(std::string_view processor, Gfx gfx);

  /// The instruction at the beginning of `code`, and its bytes; false when there is none, or when
  /// LLVM crashes on it.
  bool decode(std::span<const std::byte> code, std::uint64_t address, llvm::MCInst& inst,
              std::uint64_t& size) const;
  /// Its text; none when there is none. Halves of registers are named only where there is no other
  /// way to write it, as llvm-objdump does.
  std::string text(std::span<const std::byte> code, std::uint64_t address) const;

  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  // RDNA's halves of registers as operands of their own: "real" true16, that newer compilers write
  // by default. Without it LLVM takes no high half in a short encoding, and a result of 16 bits for
  // one of 32.
  std::unique_ptr<llvm::MCSubtargetInfo> halves_subtarget;
  std::unique_ptr<llvm::MCDisassembler> halves_disassembler;
  // RDNA's wave64: for operands that wave32 has not (index keys of SWMMAC).
  std::unique_ptr<llvm::MCSubtargetInfo> wide_subtarget;
  std::unique_ptr<llvm::MCDisassembler> wide_disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

inline std::span<const std::byte> bytes_of(const Instruction& instruction) {
  return std::as_bytes(std::span(instruction.words)).first(instruction.size);
}

}  // namespace hipsight::isa
