#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_set>

#include "engine/memory/memory.h"

namespace hipsight::services {

/// The heap of malloc in kernels, of the device libraries' making (ockl, dm.cl: heap_t): a zeroed
/// head, some slabs to begin with, and whatever they ask for by service 3.
class DeviceHeap {
 public:
  /// Takes the heap that memory already has (a replay), else makes one. @throws std::bad_alloc.
  explicit DeviceHeap(engine::Memory& memory);

  std::uint64_t address() const { return head_; }

  /// Service 3. Allocates zero-filled pages (2 MiB at 2 MiB boundaries, as slabs need it), 0 when
  /// there are none left; or frees what was so allocated.
  std::uint64_t request(std::uint64_t address, std::uint64_t size,
                        const std::function<void(const std::string&)>& complain);

 private:
  engine::Memory& memory_;
  std::uint64_t head_ = 0;
  std::unordered_set<std::uint64_t> given_;
};

}  // namespace hipsight::services
