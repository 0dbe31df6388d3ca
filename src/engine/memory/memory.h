#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

namespace hipsight::engine {

class MemoryObserver;

/// Device memory. Device pointers are host pointers, so kernels, host code and managed memory
/// agree; kernels may touch only what stands in this table, so a stray access becomes a report, not
/// a crash. Safe to use from several threads.
class Memory {
 public:
  /// Code: loaded code objects. Arguments: what the engine itself writes for each launch.
  enum class Kind { Device, Host, Managed, Code, Arguments };
  /// Labels of what malloc in kernels gives out, and of how it keeps books.
  static constexpr const char *kernels_heap = "malloc in kernels",
                              *kernels_heap_head = "heap of kernels";
  struct Allocation {
    std::uintptr_t begin = 0;
    std::size_t size = 0;
    Kind kind = Kind::Device;
    int device = 0;
    unsigned flags = 0;       ///< the HIP flags it was made with
    bool registered = false;  ///< the caller's own memory (hipHostRegister)
    std::string label;        ///< what it is, for errors: "hipMalloc #3"
    std::uintptr_t end() const { return begin + size; }
  };

  /// `capacity`: bytes that the Device and Managed allocations of one device may hold together. The
  /// arena begins at the same address in every process, where that is free.
  explicit Memory(std::size_t capacity);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Zero-filled memory on pages of its own (4 KiB; 2 MiB for large ones), with an unused page
  /// behind it; nullptr when out of memory or when `size` is 0. Freed addresses are not soon given
  /// out again.
  void* allocate(std::size_t size, Kind kind, std::string label, int device = 0,
                 unsigned flags = 0);
  /// The same at an address on a page of its own in the arena; nullptr when it is not free.
  void* allocate_at(std::uintptr_t begin, std::size_t size, Kind kind, std::string label,
                    int device = 0, unsigned flags = 0);
  /// False when `pointer` is not the beginning of an allocation made by `allocate`.
  bool free(void* pointer);
  /// Lets kernels use the caller's own memory; false when it overlaps an allocation.
  bool add(void* pointer, std::size_t size, Kind kind, std::string label, unsigned flags = 0);
  bool remove(void* pointer);

  // --- what the host does to it -----------------------------------------------------------------
  // All that it writes there, and what of it the host reads for the program, goes through these.

  /// Copies bytes, which may overlap; either side may be other memory.
  void copy(void* to, const void* from, std::size_t bytes);
  /// Repeats a value of 1, 2 or 4 bytes, as often as there is room for all of it.
  void fill(void* to, std::uint32_t value, unsigned value_size, std::size_t bytes);
  /// Stores a word at once, for kernels that wait for it.
  template <class Word>
  void store(Word* to, Word value) {
    tell_write(to, sizeof value);
    __atomic_store_n(to, value, __ATOMIC_SEQ_CST);
  }
  /// For who writes by itself: what it is about to write.
  void tell_write(void* to, std::size_t bytes);

  /// From now on, an observer is told of all this, and of allocations. It outlives the memory, or
  /// leaves.
  void add_observer(MemoryObserver& observer);
  void remove_observer(MemoryObserver& observer);

  /// What kernels may use of an allocation, where that is not all of it; the rest is padding.
  struct Part {
    std::uintptr_t begin = 0;
    std::size_t size = 0;
    bool writable = true;
    std::uintptr_t end() const { return begin + size; }
  };
  void set_parts(void* pointer, std::vector<Part> parts);
  /// The part of an allocation, or all of it, that holds this address.
  std::optional<Part> part(std::uintptr_t address) const;

  /// The allocation that holds this address.
  std::optional<Allocation> find(std::uintptr_t address) const;
  /// The pages of an allocation, which need not end where they do.
  static Part pages(const Allocation& allocation);
  /// Every allocation, in order of address.
  std::vector<Allocation> all() const;
  /// Where an address is, in words for reports: in an allocation, in a freed one, behind the end of
  /// one, in the program's own memory. Lines that begin with two spaces; the last one has no end.
  std::string whereabouts(std::uintptr_t address) const;
  /// The allocation nearest to this address, for reports.
  std::optional<Allocation> nearest(std::uintptr_t address) const;
  /// The allocation that held this address and was freed lately, for reports of use after free.
  std::optional<Allocation> freed(std::uintptr_t address) const;
  /// Whether the address lies in the arena: if no allocation holds it, none of the program's memory
  /// does.
  bool owns(std::uintptr_t address) const {
    return address >= arena_begin_ && address < arena_end_;
  }
  /// Bytes in use: all kinds, or what counts against the capacity of one device.
  std::size_t used() const;
  std::size_t used(int device) const;
  std::size_t capacity() const { return capacity_; }
  /// Changes whenever an allocation ends: what was looked up before must be looked up again.
  std::uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }
  const std::atomic<std::uint64_t>& epoch_counter() const { return epoch_; }

 private:
  void* take(std::uintptr_t begin, std::size_t size, Kind kind, std::string label, int device,
             unsigned flags);
  bool has_room(std::size_t size, Kind kind, int device) const;
  bool insert(Allocation allocation);
  void forget(std::map<std::uintptr_t, Allocation>::iterator allocation);
  template <class Tell>
  void tell(Tell&& tell) const;
  void* tell_made(void* pointer) const;
  std::uintptr_t find_gap(std::size_t size, std::size_t alignment) const;
  bool commit(std::uintptr_t end);

  mutable std::shared_mutex mutex_;
  std::uintptr_t arena_begin_ = 0, arena_end_ = 0;
  std::uintptr_t committed_end_ = 0;  ///< the arena is readable and writable up to here
  std::uintptr_t cursor_ = 0;         ///< where the search for free addresses starts
  std::map<std::uintptr_t, Allocation> by_begin_;
  std::map<std::uintptr_t, std::vector<Part>> parts_;  ///< by where their allocations begin
  std::deque<Allocation> freed_;
  std::map<int, std::size_t> used_by_device_;
  std::size_t used_ = 0;
  std::size_t capacity_;
  std::atomic<std::uint64_t> epoch_{1};
  mutable std::shared_mutex observing_;
  std::vector<MemoryObserver*> observers_;
  std::atomic<bool> is_observed_{false};
};

}  // namespace hipsight::engine
