#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/engine.h"
#include "runtime/hostcall.h"

namespace hipsight::runtime {

/// How a grid takes part in a launch whose workgroups wait for each other. Sums count work-items.
struct GridGroup {
  std::shared_ptr<std::byte> barrier;  ///< of all grids, in device memory; none for one alone
  std::uint32_t id = 0, grids = 1;
  std::uint64_t before = 0, all = 0;

  /// The grids of a launch on several devices. @throws Failure hipErrorOutOfMemory.
  static std::vector<GridGroup> of(const std::vector<std::uint64_t>& items);
};

/// What the host does for a kernel while it runs: printf, assert, malloc and free, and calls of
/// host functions. Made for one launch, from the hidden arguments that its kernel asks for; others
/// cost nothing.
class Services {
 public:
  /// `group`: of a cooperative launch. @throws Failure hipErrorOutOfMemory.
  explicit Services(const engine::Dispatch& dispatch, const GridGroup& group = {});
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
  std::shared_ptr<std::byte> grid_sync_;
  int exceptions_;  ///< on their way when the launch began
};

/// A wave sent this message (s_sendmsg): answers the calls that are ready.
void serve_doorbell(std::uint32_t message);

}  // namespace hipsight::runtime
