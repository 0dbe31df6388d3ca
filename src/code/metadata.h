#pragma once

#include <string>
#include <vector>

#include "code/code_object.h"
#include "code/elf.h"

namespace hipsight::code {

/// The code object's metadata note (NT_AMDGPU_METADATA, MessagePack; LLVM AMDGPUUsage, "Code Object
/// Metadata").
struct Metadata {
  std::vector<Kernel> kernels;              ///< what the note says of them, in its order
  std::vector<std::string> printf_formats;  ///< "0:0:HASH,FORMAT" of HIP
};

/// Empty when there is no such note. @throws Error.
Metadata read_metadata(const Elf& elf);

}  // namespace hipsight::code
