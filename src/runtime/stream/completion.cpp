#include "runtime/stream/completion.h"

namespace hipsight::runtime {

void Completion::wait() const {
  if (done()) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done(); });
}

bool Completion::wait_until(Clock::time_point deadline) const {
  if (done()) return true;
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return done(); });
}

void Completion::finish() noexcept {
  const std::lock_guard lock(mutex_);
  if (done()) return;
  time_ = Clock::now();
  done_.store(true, std::memory_order_release);
  changed_.notify_all();
}

}  // namespace hipsight::runtime
