#pragma once

#include <map>
#include <memory>

#include "runtime/hip_types.h"

namespace hipsight::runtime {

/// Something of the program's, destroyed by a function of its own when nobody refers to it any
/// more: neither the program nor a graph. Guarded by `graphs_mutex`.
struct UserObject {
  hipHostFn_t destroy = nullptr;
  void* data = nullptr;
  hipUserObject_t handle = nullptr;
  std::size_t own = 0;  ///< references of the program
  std::size_t all = 0;  ///< with those of graphs
};

/// The references of one graph. A copy has as many of its own. Guarded by `graphs_mutex`.
class UserObjects {
 public:
  UserObjects() = default;
  UserObjects(const UserObjects& other);
  UserObjects& operator=(const UserObjects& other) = delete;
  ~UserObjects();

  /// Takes over references, which are counted already.
  void take(const std::shared_ptr<UserObject>& object, std::size_t count) {
    counts_[object] += count;
  }
  /// Gives up to `count` references away, and says how many.
  std::size_t give(const std::shared_ptr<UserObject>& object, std::size_t count);

 private:
  std::map<std::shared_ptr<UserObject>, std::size_t> counts_;
};

}  // namespace hipsight::runtime
