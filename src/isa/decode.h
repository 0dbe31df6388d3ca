#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/instruction.h"

namespace hipsight::isa {

/// The instruction set of a processor ("gfx942", or a generic one). @throws Exception when hipsight
/// has none for it.
Gfx gfx_of(std::string_view processor);

/// Decodes machine code of one processor. LLVM finds the opcode, its size and its text; the fields
/// are read from the encoding as the ISA manuals lay them out (encoding.cpp), so LLVM's printed
/// text stays an independent check. One decoder serves one thread at a time.
class Decoder {
 public:
  explicit Decoder(std::string_view processor);
  ~Decoder();
  Decoder(Decoder&&) noexcept;

  /// The instruction at the beginning of `code`; nullopt when the bytes are none. LLVM's own
  /// decoder crashes on some malformed words: those come back as nullopt too.
  std::optional<Instruction> decode(std::span<const std::byte> code, std::uint64_t address);

  /// The instruction as LLVM's assembler writes it.
  std::string text(const Instruction& instruction);

  Gfx gfx() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Fills the fields of an instruction (operands, modifiers, offsets) from its words. `row`,
/// `words`, `size` and `gfx` are set. Defined in encoding.cpp.
void read_fields(Instruction& instruction);

}  // namespace hipsight::isa
