#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "gpus/gpu.h"
#include "services/device_heap.h"
#include "services/hostcall.h"

namespace hipsight::services {

/// How a grid takes part in a launch whose workgroups wait for each other. Sums count work-items.
struct GridGroup {
  std::shared_ptr<std::byte> barrier;  ///< of all grids, in device memory; none for one alone
  std::uint32_t id = 0, grids = 1;
  std::uint64_t before = 0, all = 0;

  /// The grids of a launch on several devices. @throws std::bad_alloc.
  static std::vector<GridGroup> of(engine::Memory& memory, const std::vector<std::uint64_t>& items);
};

/// What an engine's launches share of the host's services. It must outlive the engine's launches.
class Host {
 public:
  using Complain = std::function<void(const std::string&)>;
  Host(engine::Engine& engine, const gpus::Gpu& gpu, Complain complain);

 private:
  friend class Services;

  void serve(std::uint32_t message);
  std::unique_ptr<HostcallBuffer> take_hostcall_buffer();
  std::byte* take_printf_buffer();
  DeviceHeap& heap();

  engine::Memory& memory_;
  std::uint32_t most_waves_;
  Complain complain_;

  std::mutex mutex_;  // guards all that follows
  std::unique_ptr<DeviceHeap> heap_;
  std::vector<HostcallBuffer*> in_use_;
  std::vector<std::unique_ptr<HostcallBuffer>> free_buffers_;
  std::vector<std::byte*> free_printf_buffers_;
};

/// What the host does for a kernel while it runs: printf, assert, malloc and free, and calls of
/// host functions. Made for one launch, from the hidden arguments that its kernel asks for; others
/// cost nothing.
class Services {
 public:
  /// `group`: of a cooperative launch. @throws std::bad_alloc when device memory is out.
  Services(Host& host, const engine::Dispatch& dispatch, const GridGroup& group = {});
  /// Prints what the kernel left in its printf buffer.
  ~Services();
  Services(const Services&) = delete;
  Services& operator=(const Services&) = delete;

  /// The dispatch with its hidden arguments filled.
  const engine::Dispatch& dispatch() const { return dispatch_; }

 private:
  void fill(const code::Argument& argument, std::uint64_t value);

  Host& host_;
  engine::Dispatch dispatch_;
  std::vector<std::byte> kernarg_;
  std::unique_ptr<HostcallBuffer> hostcalls_;
  std::byte* printf_buffer_ = nullptr;
  std::shared_ptr<std::byte> grid_sync_;
  int exceptions_;  ///< on their way when the launch began
};

}  // namespace hipsight::services
