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

// The last dword of a buffer resource descriptor holds the format's code, and for each component
// three bits that choose 0, 1 or a field (ISA manuals, "Buffer resource descriptor").

/// Components as the fields are.
inline constexpr std::uint32_t fields_in_order = 4 | 5 << 3 | 6 << 6 | 7 << 9;
constexpr std::uint32_t format_code_in(Gfx gfx, std::uint32_t dword) {
  return is_rdna(gfx) ? dword >> 12 & 63 : (dword >> 15 & 15) | (dword >> 12 & 7) << 4;
}
constexpr std::uint32_t dword_with_format(Gfx gfx, std::uint32_t code) {
  return fields_in_order | (is_rdna(gfx) ? code << 12 : (code & 15) << 15 | code >> 4 << 12);
}

}  // namespace hipsight::isa
