#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/memory/memory.h"

namespace hipsight::engine {

/// The host writes to memory that kernels may use, or reads from it, through Memory.
struct HostAccess {
  enum class Does : std::uint8_t { Read, Write, Fill };
  Does does;
  std::uintptr_t at;
  std::size_t bytes;
  /// Of a copy: the other side, which may be any memory of the program. 0: there is none.
  std::uintptr_t other = 0;
};

/// Is told what becomes of device memory, by whichever thread does it: several at once. What the
/// program does by its own loads and stores, to pinned and managed memory, nobody sees.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  /// New memory: zeros, or what the program's own held (Allocation::registered).
  virtual void allocated(const Memory::Allocation& /*allocation*/) {}
  virtual void freed(const Memory::Allocation& /*allocation*/) {}
  /// Told before it is done.
  virtual void accessed(const HostAccess& /*access*/) {}
};

}  // namespace hipsight::engine
