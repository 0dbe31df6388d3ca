#pragma once

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFDebugLine.h>

#include <memory>
#include <optional>
#include <vector>

#include "code/code_object.h"
#include "code/elf.h"

namespace hipsight::code {

/// The line tables (.debug_line) of a code object. Made when a line is first asked for; immutable
/// after. Broken DWARF gives no line, never an error: lines only decorate what we say.
class Lines {
 public:
  explicit Lines(const Elf& elf);
  /// The line of an instruction; its function is left empty.
  std::optional<SourceLine> find(std::uint64_t address) const;

 private:
  void add_sections(const Elf& elf);
  llvm::StringRef unpack(llvm::StringRef packed);
  void parse_tables(const Elf& elf);

  std::vector<std::unique_ptr<std::byte[]>> unpacked_;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> sections_;
  std::unique_ptr<llvm::DWARFContext> context_;  // the strings that the tables refer to
  std::vector<llvm::DWARFDebugLine::LineTable> tables_;
};

}  // namespace hipsight::code
