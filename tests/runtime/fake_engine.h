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

/// Launches since the last call of reset. Waits for those that are queued.
std::vector<Launch>& launches();
/// What is called for each launch, on the thread that runs it; may throw KernelError.
struct LaunchHook {
  using Function = std::function<void(const hipsight::engine::Dispatch&)>;
  void operator=(Function function) const;
};
inline LaunchHook on_launch() {
  return {};
}
void reset();

}  // namespace fake
