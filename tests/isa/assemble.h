#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace hipsight::test {

/// The machine code of AMDGPU assembly text, by LLVM's assembler. @throws Exception with its
/// messages. `features`: of the processor, as LLVM writes them ("+wavefrontsize64").
std::vector<std::byte> assemble(std::string_view processor, std::string_view text,
                                std::string_view features = "");

}  // namespace hipsight::test
