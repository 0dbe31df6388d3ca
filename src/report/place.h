#pragma once

#include <cstdint>
#include <string>

#include "code/code_object.h"
#include "isa/decode.h"

namespace hipsight::report {

/// An instruction of a kernel or a line of its source, as text: it outlives the code object.
struct Place {
  std::string text;           ///< the instruction; empty for a line
  std::uint64_t address = 0;  ///< in the code object; 0 for a line
  std::string file;
  std::uint32_t line = 0;  ///< 0: not known

  /// "gemm.hip:41"; empty where it is not known.
  std::string source() const;
};

/// "v_add_f32 v0, v1, v2 (gemm.hip:41)", or with the address where the line is not known.
std::string text_of(const Place& place);

/// Finds the places of a code object's instructions.
class Places {
 public:
  explicit Places(const code::CodeObject& object)
      : object_(object), decoder_(object.target().processor) {}
  Place of(const isa::Instruction& instruction);

 private:
  const code::CodeObject& object_;
  isa::Decoder decoder_;
};

}  // namespace hipsight::report
