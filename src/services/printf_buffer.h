#pragma once

#include <cstddef>
#include <cstdint>

#include "code/code_object.h"
#include "engine/memory/memory.h"

namespace hipsight::services {

/// The buffer in which code built with -mprintf-kind=buffered leaves its messages (ROCm clr,
/// rocprintf.cpp): bytes in use, bytes that there are, records.
inline constexpr std::uint32_t printf_buffer_size = 4 << 20;

void clear_printf_buffer(engine::Memory& memory, std::byte* buffer);
/// Prints its records. A record begins with a word of 32 bits: its size above bit 2; bit 1 when a
/// hash stands for the format; bit 0 for stderr.
void print_buffer(const std::byte* buffer, const code::CodeObject& object);

}  // namespace hipsight::services
