#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/memory/memory.h"

namespace hipsight::services {

/// What device code may ask for in a packet (ROCm clr: ServiceID). Sizes and layouts of the
/// protocol are those of ROCm's device libraries (ockl, hostcall_impl.cl and services.cl).
enum class HostService : std::uint32_t { Call = 1, Printf = 2, Memory = 3 };

/// The buffer by which the waves of one launch call the host: a stack of free packets, a stack of
/// ready ones, and a doorbell. A wave takes a packet, fills a slot for each active lane, pushes it,
/// rings, and spins until the host clears the packet's ready bit.
class HostcallBuffer {
 public:
  struct Handlers {
    /// Device memory for service 3: allocates when `address` is 0, else frees it.
    std::function<std::uint64_t(std::uint64_t address, std::uint64_t size)> memory;
    std::function<void(const std::string&)> complain;
  };

  /// A wave holds one packet at most, so there must be as many as waves that are on their way.
  /// @throws std::bad_alloc when device memory is out.
  HostcallBuffer(engine::Memory& memory, std::uint32_t packets, Handlers handlers);
  ~HostcallBuffer();
  HostcallBuffer(const HostcallBuffer&) = delete;
  HostcallBuffer& operator=(const HostcallBuffer&) = delete;

  /// Where it is in device memory: the value of hidden_hostcall_buffer.
  std::uint64_t address() const;
  /// All packets are free again: after a launch that failed, which may have kept some.
  void reset();
  /// Answers the packets that are ready, in the order in which they were pushed.
  void serve();

 private:
  struct Header;
  struct Shared;
  using Slot = std::uint64_t[8];
  using Payload = Slot[64];  ///< one for each lane

  void answer(HostService service, Slot& slot);
  void print(Slot& slot);

  engine::Memory& memory_;
  Handlers handlers_;
  std::uint32_t packets_;
  Shared* shared_;
  Header* headers_;
  Payload* payloads_;
  /// Messages that come in several packets, by the number given to each.
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> messages_;
  std::uint64_t next_message_ = 0;
};

}  // namespace hipsight::services
