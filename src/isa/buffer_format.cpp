#include "isa/buffer_format.h"

#include <algorithm>

namespace hipsight::isa {
namespace {

using enum BufferNumber;
constexpr std::uint8_t one(BufferNumber number) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(number));
}
constexpr std::uint8_t integers = one(Uint) | one(Sint);
constexpr std::uint8_t words = integers | one(Float);
constexpr std::uint8_t bytes = integers | one(Unorm) | one(Snorm) | one(Uscaled) | one(Sscaled);
constexpr std::uint8_t half_words = bytes | one(Float);

/// Data formats by GFX9's codes, and the number formats that later GPUs have of them. Their codes
/// count these pairs, in this order.
struct Layout {
  std::uint8_t code;
  std::uint8_t bits[4];
  std::uint8_t numbers;
};
constexpr Layout layouts[]{
    {1, {8}, bytes},
    {2, {16}, half_words},
    {3, {8, 8}, bytes},
    {4, {32}, words},
    {5, {16, 16}, half_words},
    {6, {11, 11, 10}, one(Float)},
    {7, {10, 11, 11}, one(Float)},
    {8, {2, 10, 10, 10}, integers | one(Unorm) | one(Snorm)},
    {9, {10, 10, 10, 2}, bytes},
    {10, {8, 8, 8, 8}, bytes},
    {11, {32, 32}, words},
    {12, {16, 16, 16, 16}, half_words},
    {13, {32, 32, 32}, words},
    {14, {32, 32, 32, 32}, words},
};
constexpr unsigned reserved_number = 6;

BufferFormat format_of(const Layout& layout, unsigned number) {
  BufferFormat format{{}, static_cast<BufferNumber>(number)};
  std::copy_n(layout.bits, 4, format.bits);
  return format;
}

}  // namespace

std::optional<BufferFormat> buffer_format(Gfx gfx, std::uint32_t code) {
  std::uint32_t next = 1;
  for (const Layout& layout : layouts) {
    if (!is_rdna(gfx)) {
      if ((code & 15) == layout.code && code >> 4 < 8 && code >> 4 != reserved_number)
        return format_of(layout, code >> 4);
      continue;
    }
    for (unsigned number = 0; number < 8; ++number)
      if (layout.numbers >> number & 1 && next++ == code) return format_of(layout, number);
  }
  return std::nullopt;
}

std::optional<std::uint32_t> buffer_format_code(Gfx gfx, const BufferFormat& format) {
  for (std::uint32_t code = 0; code < 128; ++code) {
    const auto other = buffer_format(gfx, code);
    if (other && other->number == format.number && std::ranges::equal(other->bits, format.bits))
      return code;
  }
  return std::nullopt;
}

}  // namespace hipsight::isa
