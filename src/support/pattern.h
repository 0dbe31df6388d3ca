#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace hipsight {

/// A regular expression of RE2's syntax. Its time grows with the text's length alone, and its
/// memory has a limit, whatever the expression and the text are.
class Pattern {
 public:
  /// @throws Exception when the text is none.
  explicit Pattern(const std::string& text);

  /// Whether it is found anywhere in the text.
  bool is_in(std::string_view text) const;

 private:
  std::unique_ptr<void, void (*)(void*)> expression_;
};

}  // namespace hipsight
