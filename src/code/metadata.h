#pragma once

#include <vector>

#include "code/code_object.h"
#include "code/elf.h"

namespace hipsight::code {

/// The kernels of the code object's metadata note (NT_AMDGPU_METADATA, MessagePack; LLVM
/// AMDGPUUsage, "Code Object Metadata"), in its order. Fills what the metadata says; the rest of
/// Kernel is the descriptor's. Empty when there is no such note. @throws Error.
std::vector<Kernel> read_metadata(const Elf& elf);

}  // namespace hipsight::code
