#pragma once

#include "code/code_object.h"
#include "hipsight/values.h"
#include "isa/crash_guard.h"
#include "isa/decode.h"

namespace hipsight::session {

/// Finds the locations of a code object's instructions. Lives as briefly as it is of use: LLVM
/// writes their text, which is guarded.
class Locations {
 public:
  explicit Locations(const code::CodeObject& object)
      : object_(object), decoder_(object.target().processor) {}
  Location of(const isa::Instruction& instruction);

 private:
  const code::CodeObject& object_;
  isa::Decoder decoder_;
  isa::CrashGuard guard_;
};

}  // namespace hipsight::session
