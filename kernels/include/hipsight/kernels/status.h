// Whether a call of the library did what it was asked to.
#pragma once

#include <string>
#include <utility>

namespace hipsight::kernels {

/// True if all went well; else `error` says, in a sentence, what did not.
struct [[nodiscard]] Status {
  std::string error;

  explicit operator bool() const { return error.empty(); }
};

}  // namespace hipsight::kernels
