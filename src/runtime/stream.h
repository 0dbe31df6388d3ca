#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/hip_types.h"

namespace hipsight::runtime {

/// A queue of work on one device. Work runs at once, on the thread that submits it, and is over
/// when `submit` returns: a permitted schedule (as with HIP_LAUNCH_BLOCKING=1) in which every wait
/// is over before it begins.
class Stream {
 public:
  Stream(int device, unsigned flags, int priority)
      : device_(device), flags_(flags), priority_(priority) {}

  int device() const { return device_; }
  unsigned flags() const { return flags_; }
  int priority() const { return priority_; }

  /// Runs `work` after all that was submitted before.
  /// @throws what `work` throws; Failure when the device is lost to a kernel error.
  void submit(const std::function<void()>& work);
  /// Returns when all submitted work is done. @throws Failure when the device is lost.
  void wait();

 private:
  const int device_;
  const unsigned flags_;
  const int priority_;
  std::recursive_mutex running_;  // recursive: a callback may submit to its own stream
};

/// The stream behind a handle; null and legacy mean the current device's default stream, and
/// hipStreamPerThread the calling thread's own. @throws Failure(`otherwise`) when destroyed or
/// never made.
std::shared_ptr<Stream> find_stream(hipStream_t handle,
                                    hipError_t otherwise = hipErrorContextIsDestroyed);

/// Waits for all streams of a device.
void wait_for_device(int device);

}  // namespace hipsight::runtime
