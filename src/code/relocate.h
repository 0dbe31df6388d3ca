#pragma once

#include "code/elf.h"

namespace hipsight::code {

/// Applies the dynamic relocations to `image`, the loaded segments, as if it stood at address
/// `base`. @throws Exception naming a relocation or symbol that cannot be resolved.
void relocate(const Elf& elf, std::span<std::byte> image, std::uint64_t base);

}  // namespace hipsight::code
