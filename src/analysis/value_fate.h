#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "isa/instruction.h"
#include "isa/registers.h"

namespace hipsight::analysis {

/// Whether a wave uses what an instruction wrote to vector registers, as far as one follows it: it
/// reads them, or, `ByEffect`, memory, scalar registers or control depend on them in the end.
class ValueFate {
 public:
  enum class Counts : std::uint8_t { ByRead, ByEffect };
  /// For the code of a target (isa::RegisterUses).
  ValueFate(std::string processor, bool sram_ecc, Counts counts = Counts::ByRead);

  enum class Fate : std::uint8_t { Unknown, Used, Lost };
  /// All that an instruction may write.
  const isa::VectorRegisters& results(const isa::Instruction& instruction);
  /// What becomes of the registers in instructions that the wave runs, in the order of memory;
  /// those that were overwritten are taken out, and those that come of them put in.
  Fate follow(isa::VectorRegisters& held, const isa::Instruction* begin,
              const isa::Instruction* end);

 private:
  const isa::RegisterUse& use_of(const isa::Instruction& instruction);

  std::string processor_;
  isa::RegisterUses uses_;
  Counts counts_;
  std::unordered_map<const isa::Instruction*, isa::RegisterUse> known_;
};

}  // namespace hipsight::analysis
