#include "engine/memory/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "engine/memory/host_events.h"

namespace hipsight::engine {
namespace {

constexpr std::size_t gigabyte = std::size_t{1} << 30;
constexpr std::size_t page = 4096;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::uintptr_t usual_begin = std::uintptr_t{1} << 45;  // far from all else of a process
constexpr std::size_t remembered = 1024;  // freed allocations kept for reports

constexpr std::uintptr_t round_up(std::uintptr_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

bool counts_against_device(Memory::Kind kind) {
  return kind == Memory::Kind::Device || kind == Memory::Kind::Managed;
}

/// They may begin anywhere.
template <class Word>
void fill_words(void* to, std::uint32_t value, std::size_t bytes) {
  const auto word = static_cast<Word>(value);
  for (std::size_t i = 0; i < bytes; i += sizeof word)
    std::memcpy(static_cast<std::byte*>(to) + i, &word, sizeof word);
}

}  // namespace

// Address space costs nothing until touched, so reserve several times the capacity: freed addresses
// then stay unused for long. Where address space is limited (ulimit -v, containers), take less.
Memory::Memory(std::size_t capacity) : capacity_(capacity) {
  std::size_t size =
      round_up(std::max(std::min(capacity, std::size_t{1} << 44), 16 * gigabyte), gigabyte) * 4;
  for (; size >= gigabyte / 4; size /= 2) {
    void* const wish = reinterpret_cast<void*>(usual_begin);
    void* base = mmap(wish, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) continue;
    arena_begin_ = cursor_ = committed_end_ = reinterpret_cast<std::uintptr_t>(base);
    arena_end_ = arena_begin_ + size;
    return;
  }
}

Memory::~Memory() {
  if (arena_begin_) munmap(reinterpret_cast<void*>(arena_begin_), arena_end_ - arena_begin_);
}

// Next fit: the search starts behind the latest allocation and wraps round at the end, so an
// address is handed out again only when the whole arena has been walked through.
std::uintptr_t Memory::find_gap(std::size_t size, std::size_t alignment) const {
  auto search = [&](std::uintptr_t from, std::uintptr_t limit) -> std::uintptr_t {
    std::uintptr_t begin = round_up(from, alignment);
    for (auto next = by_begin_.lower_bound(from);; ++next) {
      const std::uintptr_t end = next == by_begin_.end() ? limit : std::min(limit, next->first);
      if (begin + size + page <= end) return begin;
      if (end == limit) return 0;
      begin = round_up(std::max(begin, round_up(next->second.end(), page) + page), alignment);
    }
  };
  if (std::uintptr_t begin = search(cursor_, arena_end_)) return begin;
  return search(arena_begin_, arena_end_);
}

// The used part of the arena is one read-write mapping: the number of mappings of a process is
// limited (vm.max_map_count), the number of allocations should not be.
bool Memory::commit(std::uintptr_t end) {
  if (end <= committed_end_) return true;
  const std::uintptr_t new_end =
      std::min<std::uintptr_t>(arena_end_, round_up(end, huge_page * 32));
  if (mprotect(reinterpret_cast<void*>(committed_end_), new_end - committed_end_,
               PROT_READ | PROT_WRITE))
    return false;
  committed_end_ = new_end;
  return true;
}

void* Memory::allocate(std::size_t size, Kind kind, std::string label, int device, unsigned flags) {
  std::unique_lock lock(mutex_);
  if (size == 0 || arena_begin_ == 0 || size > arena_end_ - arena_begin_) return nullptr;
  if (!has_room(size, kind, device)) return nullptr;
  const std::size_t alignment = size >= huge_page ? huge_page : page;
  const std::uintptr_t begin = find_gap(size, alignment);
  if (begin == 0) return nullptr;
  void* const made = take(begin, size, kind, std::move(label), device, flags);
  lock.unlock();
  return tell_made(made);
}

void* Memory::tell_made(void* pointer) const {
  if (pointer)
    tell([&](MemoryObserver& one) {
      if (const auto made = find(reinterpret_cast<std::uintptr_t>(pointer))) one.allocated(*made);
    });
  return pointer;
}

void* Memory::allocate_at(std::uintptr_t begin, std::size_t size, Kind kind, std::string label,
                          int device, unsigned flags) {
  std::unique_lock lock(mutex_);
  if (size == 0 || begin % page || begin < arena_begin_ || begin >= arena_end_) return nullptr;
  if (size > arena_end_ - begin || !has_room(size, kind, device)) return nullptr;
  const auto next = by_begin_.lower_bound(begin);
  if (next != by_begin_.end() && next->first < begin + size) return nullptr;
  if (next != by_begin_.begin() && round_up(std::prev(next)->second.end(), page) > begin)
    return nullptr;
  void* const made = take(begin, size, kind, std::move(label), device, flags);
  lock.unlock();
  return tell_made(made);
}

bool Memory::has_room(std::size_t size, Kind kind, int device) const {
  if (!counts_against_device(kind)) return true;
  const auto found = used_by_device_.find(device);
  const std::size_t in_use = found == used_by_device_.end() ? 0 : found->second;
  return in_use <= capacity_ && size <= capacity_ - in_use;
}

/// Observers are told where no lock of the table is held, so that they may ask it.
template <class Tell>
void Memory::tell(Tell&& tell) const {
  if (!is_observed_.load(std::memory_order_acquire)) [[likely]]
    return;
  const std::shared_lock lock(observing_);
  for (MemoryObserver* const one : observers_) tell(*one);
}

void Memory::add_observer(MemoryObserver& observer) {
  const std::unique_lock lock(observing_);
  observers_.push_back(&observer);
  is_observed_ = true;
}
void Memory::remove_observer(MemoryObserver& observer) {
  const std::unique_lock lock(observing_);
  std::erase(observers_, &observer);
  is_observed_ = !observers_.empty();
}

void Memory::tell_write(void* to, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(to);
  tell([&](MemoryObserver& one) { one.accessed({HostAccess::Does::Write, at, bytes}); });
}

void Memory::copy(void* to, const void* from, std::size_t bytes) {
  const auto at = reinterpret_cast<std::uintptr_t>(to);
  const auto other = reinterpret_cast<std::uintptr_t>(from);
  tell([&](MemoryObserver& one) {
    one.accessed({HostAccess::Does::Read, other, bytes, at});
    one.accessed({HostAccess::Does::Write, at, bytes, other});
  });
  std::memmove(to, from, bytes);
}

void Memory::fill(void* to, std::uint32_t value, unsigned value_size, std::size_t bytes) {
  bytes = bytes / value_size * value_size;
  const auto at = reinterpret_cast<std::uintptr_t>(to);
  tell([&](MemoryObserver& one) { one.accessed({HostAccess::Does::Fill, at, bytes}); });
  if (value_size == 1)
    std::memset(to, static_cast<int>(value & 0xff), bytes);
  else if (value_size == 2)
    fill_words<std::uint16_t>(to, value, bytes);
  else
    fill_words<std::uint32_t>(to, value, bytes);
}

void* Memory::take(std::uintptr_t begin, std::size_t size, Kind kind, std::string label, int device,
                   unsigned flags) {
  if (!commit(begin + size)) return nullptr;
  if (size >= huge_page) madvise(reinterpret_cast<void*>(begin), size, MADV_HUGEPAGE);
  cursor_ = round_up(begin + size, page) + page;
  if (counts_against_device(kind)) used_by_device_[device] += size;
  used_ += size;
  by_begin_.emplace(begin, Allocation{begin, size, kind, device, flags, false, std::move(label)});
  return reinterpret_cast<void*>(begin);
}

bool Memory::free(void* pointer) {
  std::unique_lock lock(mutex_);
  const auto found = by_begin_.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == by_begin_.end() || found->second.registered) return false;
  const Allocation allocation = found->second;
  madvise(pointer, round_up(allocation.size, page), MADV_DONTNEED);  // next use reads zeros
  used_ -= allocation.size;
  if (counts_against_device(allocation.kind)) used_by_device_[allocation.device] -= allocation.size;
  forget(found);
  lock.unlock();
  tell([&](MemoryObserver& one) { one.freed(allocation); });
  return true;
}

bool Memory::add(void* pointer, std::size_t size, Kind kind, std::string label, unsigned flags) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  if (begin == 0 || size == 0 || begin + size < begin) return false;
  std::unique_lock lock(mutex_);
  if (!insert(Allocation{begin, size, kind, 0, flags, true, std::move(label)})) return false;
  lock.unlock();
  tell_made(pointer);
  return true;
}

bool Memory::insert(Allocation allocation) {
  const auto next = by_begin_.lower_bound(allocation.begin);
  if (next != by_begin_.end() && next->first < allocation.end()) return false;
  if (next != by_begin_.begin() && std::prev(next)->second.end() > allocation.begin) return false;
  by_begin_.emplace(allocation.begin, std::move(allocation));
  return true;
}

bool Memory::remove(void* pointer) {
  std::unique_lock lock(mutex_);
  const auto found = by_begin_.find(reinterpret_cast<std::uintptr_t>(pointer));
  if (found == by_begin_.end() || !found->second.registered) return false;
  const Allocation allocation = found->second;
  forget(found);
  lock.unlock();
  tell([&](MemoryObserver& one) { one.freed(allocation); });
  return true;
}

void Memory::forget(std::map<std::uintptr_t, Allocation>::iterator allocation) {
  freed_.push_back(std::move(allocation->second));
  if (freed_.size() > remembered) freed_.pop_front();
  parts_.erase(allocation->first);
  by_begin_.erase(allocation);
  epoch_.fetch_add(1, std::memory_order_release);
}

std::optional<Memory::Allocation> Memory::find(std::uintptr_t address) const {
  std::shared_lock lock(mutex_);
  auto next = by_begin_.upper_bound(address);
  if (next == by_begin_.begin()) return std::nullopt;
  const Allocation& allocation = std::prev(next)->second;
  if (address >= allocation.end()) return std::nullopt;
  return allocation;
}

void Memory::set_parts(void* pointer, std::vector<Part> parts) {
  std::unique_lock lock(mutex_);
  parts_[reinterpret_cast<std::uintptr_t>(pointer)] = std::move(parts);
}

std::optional<Memory::Part> Memory::part(std::uintptr_t address) const {
  std::shared_lock lock(mutex_);
  const auto next = by_begin_.upper_bound(address);
  if (next == by_begin_.begin()) return std::nullopt;
  const Allocation& allocation = std::prev(next)->second;
  if (address >= allocation.end()) return std::nullopt;
  const bool whole = allocation.kind != Kind::Code && allocation.kind != Kind::Arguments;
  const auto parts = whole ? parts_.end() : parts_.find(allocation.begin);
  if (parts == parts_.end()) return Part{allocation.begin, allocation.size};
  for (const Part& part : parts->second)
    if (address - part.begin < part.size) return part;
  return std::nullopt;
}

Memory::Part Memory::pages(const Allocation& allocation) {
  const std::uintptr_t begin = allocation.begin / page * page;
  return {.begin = begin, .size = round_up(allocation.end(), page) - begin};
}

std::vector<Memory::Allocation> Memory::all() const {
  std::shared_lock lock(mutex_);
  std::vector<Allocation> all;
  for (const auto& [begin, allocation] : by_begin_) all.push_back(allocation);
  return all;
}

std::optional<Memory::Allocation> Memory::nearest(std::uintptr_t address) const {
  std::shared_lock lock(mutex_);
  const auto next = by_begin_.upper_bound(address);
  if (next == by_begin_.begin())
    return next == by_begin_.end() ? std::nullopt : std::optional(next->second);
  const Allocation& before = std::prev(next)->second;
  if (next == by_begin_.end() || address < before.end()) return before;
  return address - before.end() < next->first - address ? before : next->second;
}

std::optional<Memory::Allocation> Memory::freed(std::uintptr_t address) const {
  std::shared_lock lock(mutex_);
  for (auto allocation = freed_.rbegin(); allocation != freed_.rend(); ++allocation)
    if (address >= allocation->begin && address < allocation->end()) return *allocation;
  return std::nullopt;
}

std::size_t Memory::used() const {
  std::shared_lock lock(mutex_);
  return used_;
}

std::size_t Memory::used(int device) const {
  std::shared_lock lock(mutex_);
  const auto found = used_by_device_.find(device);
  return found == used_by_device_.end() ? 0 : found->second;
}

}  // namespace hipsight::engine
