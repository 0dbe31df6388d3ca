#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instruction.h"

namespace hipsight::test {

/// Whether a name or a text has this part.
inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

/// One operand of an instruction's text.
struct OperandText {
  /// 'v', 'a', 's' register; '#' number; '?' special source; 'o' "off"; '-' anything else
  char kind = '-';
  unsigned index = 0, count = 0;  ///< registers; the code of a special source
  char half = 0;                  ///< 'l' or 'h': a half of the register
  bool negate = false, absolute = false, sign_extend = false;
  std::string text;  ///< of a number or anything else
};

/// One instruction (half of one, for dual issue) as LLVM's assembler writes it.
struct InstructionText {
  std::string mnemonic;
  std::vector<OperandText> operands;
  std::map<std::string, std::string> modifiers;  ///< "offset" -> "16", "glc" -> ""
};

/// Reads LLVM's text. Registers with names of their own become the scalar registers that encode
/// them: vcc is s[106:107]. @throws Exception when it cannot be read.
std::vector<InstructionText> read_text(std::string_view text, isa::Gfx gfx);

}  // namespace hipsight::test
