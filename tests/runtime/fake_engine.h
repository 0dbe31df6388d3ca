#pragma once

#include <cstring>
#include <functional>
#include <vector>

#include "engine/engine.h"

/// Stands in for the engine: takes down what the runtime launches, and does what a test says.
namespace fake {

struct Launch {
  hipsight::engine::Dispatch dispatch;
  std::vector<std::byte> kernarg;

  /// The value at an offset of the kernarg segment.
  template <class Value>
  Value at(std::size_t offset) const {
    Value value{};
    if (offset + sizeof value <= kernarg.size())
      std::memcpy(static_cast<void*>(&value), kernarg.data() + offset, sizeof value);
    return value;
  }
  /// The value of the argument of this kind.
  std::uint64_t hidden(const char* kind) const;
};

/// Launches since the last call of reset.
std::vector<Launch>& launches();
/// Called for each launch; may throw KernelError.
std::function<void(const hipsight::engine::Dispatch&)>& on_launch();
void reset();

}  // namespace fake
