#pragma once

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

/// Accesses beyond an allocation, but on a page of it, or beyond a workgroup's LDS, but in a block
/// of it: a GPU knows no smaller units, so programs that do this run there. Each instruction that
/// does is told once; of those that read past the LDS, which come in rows, each kernel's first.
struct Overruns {
  bool errors = false;  ///< they are errors (Options::strict)
  std::function<void(const std::string&)> tell;
  std::mutex mutex;
  std::set<const void*> told;  ///< instructions, and kernels
};

}  // namespace hipsight::engine
