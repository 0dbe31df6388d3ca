#include "check/written.h"

#include <algorithm>

namespace hipsight::check {

Written::Written(engine::Memory& memory) : memory_(memory) {
  memory_.add_observer(*this);
}
Written::~Written() {
  memory_.remove_observer(*this);
}

void Written::allocated(const engine::Memory::Allocation& allocation) {
  if (allocation.kind != engine::Memory::Kind::Device || allocation.registered) return;
  const std::lock_guard lock(mutex_);
  allocations_[allocation.begin] = {allocation.size, std::vector<bool>(allocation.size)};
}

void Written::freed(const engine::Memory::Allocation& allocation) {
  const std::lock_guard lock(mutex_);
  allocations_.erase(allocation.begin);
}

Written::Bytes* Written::find(std::uintptr_t byte, std::size_t& at) {
  auto next = allocations_.upper_bound(byte);
  if (next == allocations_.begin()) return nullptr;
  --next;
  at = byte - next->first;
  return at < next->second.size ? &next->second : nullptr;
}

bool Written::has(std::uintptr_t byte) const {
  const std::lock_guard lock(mutex_);
  std::size_t at = 0;
  const Bytes* const in = const_cast<Written*>(this)->find(byte, at);
  return !in || in->written[at];
}

void Written::mark(std::uintptr_t begin, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  std::size_t at = 0;
  Bytes* const in = find(begin, at);
  if (!in) return;
  const auto first = in->written.begin() + std::ptrdiff_t(at);
  std::fill(first, first + std::ptrdiff_t(std::min(bytes, in->size - at)), true);
}

void Written::accessed(const engine::HostAccess& access) {
  if (access.does == engine::HostAccess::Does::Read) return;
  const std::lock_guard lock(mutex_);
  std::size_t to = 0, from = 0;
  Bytes* const target = find(access.at, to);
  if (!target) return;
  const Bytes* const source = access.other ? find(access.other, from) : nullptr;
  const std::size_t bytes = std::min(access.bytes, target->size - to);
  // A copy of what nobody wrote is nothing that anybody wrote. The two may overlap.
  std::vector<bool> written(bytes, true);
  if (source)
    for (std::size_t i = 0; i < bytes && from + i < source->size; ++i)
      written[i] = source->written[from + i];
  std::copy(written.begin(), written.end(), target->written.begin() + std::ptrdiff_t(to));
}

/// With the bytes of each stretch that nobody has written, and where it stands in its allocation.
template <class Each>
void Written::for_each_gap(const Each& each) {
  for (auto& [begin, in] : allocations_)
    for (auto at = in.written.begin(), end = in.written.end(); at != end;) {
      const auto first = std::find(at, end, false);
      at = std::find(first, end, true);
      if (first == end) break;
      const std::size_t offset = std::size_t(first - in.written.begin());
      each(reinterpret_cast<std::uint8_t*>(begin + offset), std::size_t(at - first), in, offset);
    }
}

bool Written::fill(std::uint8_t value) {
  constexpr std::size_t most = std::size_t{1} << 30;
  const std::lock_guard lock(mutex_);
  std::size_t all = 0;
  for_each_gap([&](std::uint8_t*, std::size_t bytes, Bytes&, std::size_t) { all += bytes; });
  if (all > most) return false;
  for_each_gap([&](std::uint8_t* gap, std::size_t bytes, Bytes& in, std::size_t offset) {
    for (std::size_t i = 0; i < bytes; ++i)
      if (gap[i] == 0)
        gap[i] = value;
      else
        in.written[offset + i] = true;
  });
  return true;
}

void Written::clear() {
  const std::lock_guard lock(mutex_);
  for_each_gap([](std::uint8_t* gap, std::size_t bytes, Bytes&, std::size_t) {
    std::fill_n(gap, bytes, std::uint8_t{0});
  });
}

}  // namespace hipsight::check
