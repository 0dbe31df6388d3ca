#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>

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
  /// Instructions, and kernels' descriptors, by LoadedCode::number and address.
  std::set<std::pair<std::uint64_t, std::uint64_t>> told;
  std::set<std::string> ordered;  ///< what was told of the order of waves (OrderWatch)

  /// Whether it was told of an instruction or a kernel, so that nothing is left to do; false:
  /// perhaps.
  bool is_known(const void* one) const {
    return !errors && lately_at_.load(std::memory_order_relaxed) == unloads &&
           lately_[place(one)].load(std::memory_order_relaxed) == one;
  }
  /// With the mutex.
  void is_known_now(const void* one) {
    if (const std::uint64_t now = unloads; lately_at_ != now) {
      for (auto& known : lately_) known = nullptr;
      lately_at_ = now;
    }
    lately_[place(one)] = one;
  }

  /// Code objects that went: what comes later may lie where theirs lay.
  static inline std::atomic<std::uint64_t> unloads{0};

 private:
  static std::size_t place(const void* one) {
    return reinterpret_cast<std::uintptr_t>(one) / 64 % places;
  }
  static constexpr std::size_t places = 64;
  /// Some of those that were told, to be found quickly: most do it again and again. Of as many
  /// unloads.
  std::array<std::atomic<const void*>, places> lately_{};
  std::atomic<std::uint64_t> lately_at_{0};
};

}  // namespace hipsight::engine
