#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace hipsight {

/// What went wrong, in words for the user: names the thing and the place.
class Exception : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws an Exception with a formatted message.
template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
  throw Exception(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace hipsight
