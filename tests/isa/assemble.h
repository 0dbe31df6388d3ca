#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace hipsight::test {

/// The machine code of AMDGPU assembly text, by LLVM's assembler. @throws Error with its messages.
std::vector<std::byte> assemble(std::string_view processor, std::string_view text);

}  // namespace hipsight::test
