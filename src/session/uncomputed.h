#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/memory/host_events.h"
#include "engine/memory/memory.h"

namespace hipsight::session {

/// Allocations that hold what kernels would have computed, had all of them run.
class Uncomputed final : public engine::MemoryObserver {
 public:
  /// The memory outlives this.
  explicit Uncomputed(engine::Memory& memory) : memory_(memory) { memory.add_observer(*this); }
  ~Uncomputed() override { memory_.remove_observer(*this); }
  Uncomputed(const Uncomputed&) = delete;
  Uncomputed& operator=(const Uncomputed&) = delete;

  /// A launch stored there: addresses, in order.
  void add(const std::vector<std::uintptr_t>& stored);
  /// How often the host has copied from there.
  std::uint64_t reads() const { return reads_; }
  /// The label of such an allocation that holds this address.
  std::optional<std::string> find(std::uintptr_t address) const;

  void freed(const engine::Memory::Allocation& allocation) override;
  /// What the host writes over all of it is known again. What it reads counts.
  void accessed(const engine::HostAccess& access) override;

 private:
  engine::Memory& memory_;
  std::atomic<std::uint64_t> reads_ = 0;
  mutable std::mutex mutex_;
  std::map<std::uintptr_t, engine::Memory::Allocation> allocations_;  ///< by their begin
};

}  // namespace hipsight::session
