#include "services/device_heap.h"

#include <fmt/format.h>

#include <new>

namespace hipsight::services {
namespace {

using engine::Memory;
constexpr const char *head_label = Memory::kernels_heap_head, *pages_label = Memory::kernels_heap;

}  // namespace

DeviceHeap::DeviceHeap(Memory& memory) : memory_(memory) {
  for (const Memory::Allocation& allocation : memory_.all()) {
    if (allocation.label == head_label) head_ = allocation.begin;
    if (allocation.label == pages_label && allocation.kind == Memory::Kind::Device)
      given_.insert(allocation.begin);
  }
  if (head_) return;
  constexpr std::size_t head = 128 << 10, slabs = 8 << 20;
  // After 5 counters of 128 bytes and 256 records of 24 for each of 16 sizes of blocks.
  constexpr std::size_t slabs_at = std::size_t{16} * (5 * 128 + 256 * 24);
  auto* made = static_cast<std::byte*>(memory_.allocate(head, Memory::Kind::Code, head_label));
  if (!made) throw std::bad_alloc();
  head_ = reinterpret_cast<std::uintptr_t>(made);
  if (void* first = memory_.allocate(slabs, Memory::Kind::Code, pages_label)) {
    const auto begin = reinterpret_cast<std::uintptr_t>(first);
    const std::uint64_t next_end_start[]{begin, begin + slabs, begin};
    memory_.copy(made + slabs_at, next_end_start, sizeof next_end_start);
  }
}

std::uint64_t DeviceHeap::request(std::uint64_t address, std::uint64_t size,
                                  const std::function<void(const std::string&)>& complain) {
  if (address == 0) {
    const auto fresh =
        reinterpret_cast<std::uintptr_t>(memory_.allocate(size, Memory::Kind::Device, pages_label));
    if (fresh) given_.insert(fresh);
    return fresh;
  }
  auto* pointer = reinterpret_cast<void*>(address);
  if (given_.erase(address))
    memory_.free(pointer);
  else
    complain(fmt::format("free of {} in a kernel: malloc did not give that", pointer));
  return 0;
}

}  // namespace hipsight::services
