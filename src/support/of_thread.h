#pragma once

#include <memory>
#include <utility>

namespace hipsight {

/// A value of the calling thread. A plain `thread_local` object is gone before static destructors
/// run, and these may still call HIP: to them this is a new value, which nothing destroys.
/// @tparam T default constructible; @tparam Tag tells apart values of the same type.
template <class T, class Tag>
T& of_thread() {
  thread_local constinit T* value = nullptr;
  struct Guard {
    ~Guard() { std::unique_ptr<T>(std::exchange(value, nullptr)).reset(); }
    void watch() const {}
  };
  thread_local const Guard guard;
  guard.watch();
  if (!value) value = std::make_unique<T>().release();
  return *value;
}

}  // namespace hipsight
