// Registered memory of the program. Registrations may overlap, as in ROCm, which pins pages and
// counts (clr: ihipHostRegister): the table of allocations has their unions.
#include "runtime/module/registered.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

#include "runtime/memory/mapping.h"
#include "runtime/state.h"
#include "runtime/stream/stream.h"

namespace hipsight::runtime {
namespace {

struct Registration {
  std::size_t size = 0;
  unsigned flags = 0;
};

class Registered {
 public:
  std::mutex mutex;
  std::atomic<bool> any{false};

  /// Whether it shares bytes with one that there is.
  bool overlaps(std::byte* begin, std::size_t size) const { return piece(begin, size) != nullptr; }

  /// False when other allocations are in the way.
  bool add(std::byte* begin, std::size_t size, unsigned flags) {
    any = true;
    const auto made = all_.emplace(begin, Registration{size, flags});
    std::byte* from = begin;
    std::byte* to = begin + size;
    while (std::byte* const other = piece(from, static_cast<std::size_t>(to - from))) {
      from = std::min(from, other);
      to = std::max(to, pieces_[other]);
      drop(other);
    }
    if (cover(from, to)) return true;
    all_.erase(made);
    while (std::byte* const other = piece(from, static_cast<std::size_t>(to - from))) drop(other);
    cover(from, to);
    return false;
  }

  bool remove(std::byte* begin) {
    const auto found = all_.find(begin);
    if (found == all_.end()) return false;
    remove(found);
    return true;
  }

  /// Forgets what `gone` says of a registration.
  template <class Gone>
  void remove_if(Gone&& gone) {
    for (auto next = all_.begin(); next != all_.end();) {
      const auto at = next++;
      if (gone(at->first, at->second.size)) remove(at);
    }
  }

 private:
  using All = std::multimap<std::byte*, Registration>;
  All all_;
  std::map<std::byte*, std::byte*> pieces_;  ///< their unions: begin and end

  /// The beginning of a union that shares bytes with this range, or null.
  std::byte* piece(std::byte* begin, std::size_t size) const {
    auto next = pieces_.lower_bound(begin);
    if (next != pieces_.end() && next->first < begin + size) return next->first;
    if (next == pieces_.begin() || (--next)->second <= begin) return nullptr;
    return next->first;
  }
  void remove(All::iterator registration) {
    const auto [from, to] = *std::prev(pieces_.upper_bound(registration->first));
    all_.erase(registration);
    drop(from);
    cover(from, to);
  }
  void drop(std::byte* piece) {
    memory().remove(piece);
    pieces_.erase(piece);
  }
  /// Adds the unions of the registrations that begin in this range.
  bool cover(std::byte* from, std::byte* to) {
    const auto end = all_.lower_bound(to);
    for (auto at = all_.lower_bound(from); at != end;) {
      const auto& [begin, registration] = *at;
      std::byte* last = begin + registration.size;
      for (++at; at != end && at->first < last; ++at)
        last = std::max(last, at->first + at->second.size);
      if (!memory().add(begin, static_cast<std::size_t>(last - begin), engine::Memory::Kind::Host,
                        fmt::format("hipHostRegister of {}", static_cast<void*>(begin)),
                        registration.flags))
        return false;
      pieces_[begin] = last;
    }
    return true;
  }
};

Registered& registered() {
  static auto& all = *new Registered;
  return all;
}

}  // namespace

void drop_unmapped() {
  Registered& all = registered();
  if (!all.any) return;
  const std::lock_guard lock(all.mutex);
  all.remove_if([](void* pointer, std::size_t size) {
    if (is_mapped(pointer, size)) return false;
    complain(fmt::format("the memory of hipHostRegister at {} is mapped no more", pointer));
    return true;
  });
}

HIP_API hipError_t hipHostRegister(void* pointer, std::size_t size, unsigned flags) {
  return api([&] {
    require(pointer && size && flags <= 15);
    // Kernels may write to it unless the program says that none does.
    require(flags & hipHostRegisterReadOnly ? is_mapped(pointer, size)
                                            : writable_bytes(pointer) >= size);
    Context::get();
    auto* const begin = static_cast<std::byte*>(pointer);
    Registered& all = registered();
    const auto must_wait = [&] {
      const std::lock_guard lock(all.mutex);
      return all.overlaps(begin, size);
    };
    // For a moment a union is not there: no kernel may look then.
    if (must_wait()) wait_for_all();
    const std::lock_guard lock(all.mutex);
    require(all.add(begin, size, flags), hipErrorHostMemoryAlreadyRegistered);
    return hipSuccess;
  });
}

HIP_API hipError_t hipHostUnregister(void* pointer) {
  return api([&] {
    require(pointer != nullptr);
    Context::get();
    wait_for_all();
    Registered& all = registered();
    const std::lock_guard lock(all.mutex);
    require(all.remove(static_cast<std::byte*>(pointer)), hipErrorHostMemoryNotRegistered);
    return hipSuccess;
  });
}

}  // namespace hipsight::runtime
