#pragma once

#include <llvm/DebugInfo/DWARF/DWARFContext.h>

#include <memory>
#include <mutex>
#include <optional>

#include "code/code_object.h"
#include "code/elf.h"

namespace hipsight::code {

/// The DWARF line table of a code object. Made when a line is first asked for; several threads may
/// ask. Broken DWARF gives no line, never an error: lines only decorate what we say.
class Lines {
 public:
  explicit Lines(const Elf& elf);
  std::optional<SourceLine> find(std::uint64_t address);

 private:
  std::mutex mutex_;  // DWARFContext parses units as they are asked for
  std::vector<std::unique_ptr<std::byte[]>> unpacked_;
  std::unique_ptr<llvm::DWARFContext> context_;
};

}  // namespace hipsight::code
