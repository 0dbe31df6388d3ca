#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace hipsight::runtime {

/// Objects behind the opaque handles that programs hold. A handle is a number that is never used
/// twice, not an address: a destroyed, foreign or made-up handle is found out, never followed.
template <class Handle, class Object>
class Handles {
 public:
  /// `family`: tells the handles of one kind of object from those of another.
  explicit Handles(std::uintptr_t family) : next_((family << 40) + 16) {}

  Handle add(std::shared_ptr<Object> object) {
    const std::unique_lock lock(mutex_);
    const std::uintptr_t number = next_;
    next_ += 16;
    objects_.emplace(number, std::move(object));
    return reinterpret_cast<Handle>(number);
  }

  /// Null when there is no such object.
  std::shared_ptr<Object> find(Handle handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  /// Ends the handle; null when there is no such object.
  std::shared_ptr<Object> remove(Handle handle) {
    const std::unique_lock lock(mutex_);
    const auto node = objects_.extract(reinterpret_cast<std::uintptr_t>(handle));
    return node.empty() ? nullptr : std::move(node.mapped());
  }

  std::vector<std::shared_ptr<Object>> all() const {
    const std::shared_lock lock(mutex_);
    std::vector<std::shared_ptr<Object>> result;
    for (const auto& [number, object] : objects_) result.push_back(object);
    return result;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::uintptr_t next_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects_;
};

}  // namespace hipsight::runtime
