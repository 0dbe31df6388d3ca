#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine.h"
#include "runtime/hostcall.h"

namespace hipsight::runtime {

/// What the host does for a kernel while it runs: printf, assert, malloc and free, and calls of
/// host functions. Made for one launch, from the hidden arguments that its kernel asks for; others
/// cost nothing.
class Services {
 public:
  /// @throws Failure hipErrorOutOfMemory.
  explicit Services(const engine::Dispatch& dispatch);
  /// Prints what the kernel left in its printf buffer.
  ~Services();
  Services(const Services&) = delete;
  Services& operator=(const Services&) = delete;

  /// The dispatch with its hidden arguments filled.
  const engine::Dispatch& dispatch() const { return dispatch_; }

 private:
  void fill(const code::Argument& argument, std::uint64_t value);

  engine::Dispatch dispatch_;
  std::vector<std::byte> kernarg_;
  std::unique_ptr<HostcallBuffer> hostcalls_;
  std::byte* printf_buffer_ = nullptr;
  int exceptions_;  ///< on their way when the launch began
};

/// A wave sent this message (s_sendmsg): answers the calls that are ready.
void serve_doorbell(std::uint32_t message);

}  // namespace hipsight::runtime
