#include "support/pattern.h"

#include <array>

#include "support/error.h"
#include "support/printable.h"
#include "support/re2.h"

namespace hipsight {

Pattern::Pattern(const std::string& text) : expression_(nullptr, hipsight_re2_delete) {
  std::array<char, 256> why{};
  // Names are anybody's bytes; an expression that is no UTF-8 is meant byte by byte.
  expression_.reset(
      hipsight_re2_new(text.data(), text.size(), !is_utf8(text), why.data(), why.size()));
  if (!expression_)
    fail("'{}' is no regular expression: {}", printable(text), printable(why.data()));
}

bool Pattern::is_in(std::string_view text) const {
  return hipsight_re2_is_in(expression_.get(), text.data(), text.size());
}

}  // namespace hipsight
