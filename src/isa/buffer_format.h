#pragma once

#include <cstdint>
#include <optional>

#include "isa/instruction.h"

namespace hipsight::isa {

/// How the fields of a formatted buffer element are read and written.
enum class BufferNumber : std::uint8_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float = 7 };

/// An element of a formatted buffer: up to four fields, the first in the lowest bits.
struct BufferFormat {
  std::uint8_t bits[4];  ///< of each field, 0 where there is none
  BufferNumber number;

  constexpr unsigned bytes() const { return (bits[0] + bits[1] + bits[2] + bits[3]) / 8u; }
};

/// The format that a code stands for. GFX9: data format | number format << 4, as MTBUF has them
/// (MI200 ISA, "Buffer data format"); later, the one table of RDNA3 ISA, 9.4.6, and RDNA4's.
/// Nothing for reserved codes.
std::optional<BufferFormat> buffer_format(Gfx gfx, std::uint32_t code);

/// The code of a format, where it has one.
std::optional<std::uint32_t> buffer_format_code(Gfx gfx, const BufferFormat& format);

}  // namespace hipsight::isa
