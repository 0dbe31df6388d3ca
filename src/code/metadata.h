#pragma once

#include <string>
#include <vector>

#include "code/code_object.h"
#include "code/elf.h"

namespace hipsight::code {

/// What the code object's metadata notes say (NT_AMDGPU_METADATA, MessagePack; LLVM AMDGPUUsage,
/// "Code Object Metadata"). A linked one has a note of each object that went in; AMD's runtime
/// joins their lists, too (comgr, mergeNoteRecords).
struct Metadata {
  /// In the order of the notes. Of several kernels of one name, the first: so linkers choose among
  /// weak symbols.
  std::vector<Kernel> kernels;
  std::vector<std::string> printf_formats;  ///< "0:0:HASH,FORMAT" of HIP
};

/// Empty when there are no such notes. @throws Exception.
Metadata read_metadata(const Elf& elf);

}  // namespace hipsight::code
