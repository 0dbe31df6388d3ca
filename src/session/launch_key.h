#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace hipsight::session {

/// Says which launches are the same: of the same code, on the same GPU of several, with the same
/// grid, block and LDS, and with the same arguments. Of a pointer count the size and kind of its
/// allocation, the offset in it, and which arguments point to the same one; not where it lies. So
/// buffers that take turns count as one.
class LaunchKeys {
 public:
  /// `memory`: to whose allocations arguments point; null: addresses count as they are.
  explicit LaunchKeys(const engine::Memory* memory) : memory_(memory) {}

  struct Key {
    std::string text;
    /// That arguments point to, in order of the arguments.
    std::vector<engine::Memory::Allocation> allocations;
  };
  Key of(const engine::Dispatch& dispatch);

 private:
  std::uint64_t code(const std::shared_ptr<engine::Module>& module);

  const engine::Memory* memory_;
  /// A sum of what is in code objects; while they are loaded.
  std::map<const engine::Module*, std::pair<std::weak_ptr<engine::Module>, std::uint64_t>> codes_;
};

}  // namespace hipsight::session
