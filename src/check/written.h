#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "engine/memory/host_events.h"
#include "engine/memory/memory.h"

namespace hipsight::check {

/// Which bytes of device memory somebody has written, from the begin of the program on. Of pinned
/// and managed memory all count as written: the host's own stores are not seen.
class Written final : public engine::MemoryObserver {
 public:
  /// The memory outlives this.
  explicit Written(engine::Memory& memory);
  ~Written() override;
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;

  void allocated(const engine::Memory::Allocation& allocation) override;
  void freed(const engine::Memory::Allocation& allocation) override;
  void accessed(const engine::HostAccess& access) override;

  bool has(std::uintptr_t byte) const;
  void mark(std::uintptr_t begin, std::size_t bytes);

  /// Gives bytes that nobody has written another value in place of 0, or 0 again. What is not 0 at
  /// first somebody has written without being seen, and counts as written. False, and nothing is
  /// done, when there are too many.
  bool fill(std::uint8_t value);
  void clear();

 private:
  struct Bytes {
    std::size_t size = 0;
    std::vector<bool> written;
  };
  /// What holds the byte, and its place there; null: it counts as written.
  Bytes* find(std::uintptr_t byte, std::size_t& at);
  template <class Each>
  void for_each_gap(const Each& each);

  engine::Memory& memory_;
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, Bytes> allocations_;  ///< by their begin
};

}  // namespace hipsight::check
