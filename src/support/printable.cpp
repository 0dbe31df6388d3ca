#include "support/printable.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace hipsight {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t size = 0;  ///< bytes; 0: they are no UTF-8
};

/// The first character (Unicode 15, table 3-7: which bytes may follow each other).
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || size > text.size()) return {};
  std::uint32_t code = lead & (0xffu >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[size] || code > 0x10ffff || surrogate ? Character{} : Character{code, size};
}

/// Controls, and what makes later characters stand elsewhere (Unicode's Bidi_Control, and line and
/// paragraph separators).
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto [code, size] = first_of(text);
    if (size == 0)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (!is_control(code) || (lines && code == '\n'))
      out += text.substr(0, size);
    else
      out += code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{{{:x}}}", code);
    text.remove_prefix(size ? size : 1);
  }
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = first_of(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace hipsight
