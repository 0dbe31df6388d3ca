#pragma once

#include "code/elf.h"
#include "code/target.h"

namespace hipsight::code {

/// What the ELF header of a code object says of itself.
struct Identity {
  Target target;
  unsigned version = 0;          ///< code object version: 4, 5 or 6
  unsigned generic_version = 0;  ///< of a generic processor, from 1; else 0
};

/// @throws Exception when the file is no linked AMDGPU code object of version 4 to 6 for HSA.
Identity identify(const Elf& elf);

}  // namespace hipsight::code
