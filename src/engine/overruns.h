#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <string>

namespace hipsight::engine {

/// What a workgroup gets of the LDS when it asks for some: hardware gives it out in blocks.
constexpr std::size_t lds_room(std::size_t asked) {
  constexpr std::size_t block = 512;
  return (asked + block - 1) / block * block;
}

/// Accesses that a GPU lets pass, so that programs with them run there: beyond an allocation, but
/// on a page of it; beyond a workgroup's LDS, but in a block of it; stores over code and kernel
/// arguments. Each instruction that does one is told once; of those that read past the LDS, which
/// come in rows, each kernel's first.
struct Overruns {
  bool errors = false;  ///< they are errors (Options::strict)
  std::function<void(const std::string&)> tell;
  std::mutex mutex;
  std::set<const void*> told;     ///< instructions, and kernels
  std::set<std::string> ordered;  ///< what was told of the order of waves (OrderWatch)
  /// Some of those that were told, to be found quickly: most do it again and again.
  std::array<std::atomic<const void*>, 64> lately{};

  std::atomic<const void*>& place_of(const void* one) {
    return lately[reinterpret_cast<std::uintptr_t>(one) / 64 % lately.size()];
  }
  /// Whether it was told of this one, so that nothing is left to do; false: perhaps.
  bool is_known(const void* one) {
    return !errors && place_of(one).load(std::memory_order_relaxed) == one;
  }
};

}  // namespace hipsight::engine
