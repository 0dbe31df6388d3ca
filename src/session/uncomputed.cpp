#include "session/uncomputed.h"

namespace hipsight::session {

void Uncomputed::add(const std::vector<std::uintptr_t>& stored) {
  std::uintptr_t known_to = 0;
  for (const std::uintptr_t address : stored) {
    if (address < known_to) continue;
    const auto found = memory_.find(address);
    if (!found) continue;
    known_to = found->end();
    const std::lock_guard lock(mutex_);
    allocations_.insert_or_assign(found->begin, *found);
  }
}

std::optional<std::string> Uncomputed::find(std::uintptr_t address) const {
  const std::lock_guard lock(mutex_);
  auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return std::nullopt;
  const engine::Memory::Allocation& one = std::prev(next)->second;
  return address < one.end() ? std::optional(one.label) : std::nullopt;
}

void Uncomputed::freed(const engine::Memory::Allocation& allocation) {
  const std::lock_guard lock(mutex_);
  allocations_.erase(allocation.begin);
}

void Uncomputed::accessed(const engine::HostAccess& access) {
  if (access.does == engine::HostAccess::Does::Read) {
    if (find(access.at)) ++reads_;
    return;
  }
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(access.at);
  if (found != allocations_.end() && access.bytes >= found->second.size) allocations_.erase(found);
}

}  // namespace hipsight::session
