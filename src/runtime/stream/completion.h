#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/timeline_note.h"
#include "timeline/span.h"

namespace hipsight::runtime {

/// The end of one piece of work, which any thread may wait for.
class Completion {
 public:
  using Clock = std::chrono::steady_clock;

  bool done() const noexcept { return done_.load(std::memory_order_acquire); }
  void wait() const;
  /// False when it has not happened by then.
  bool wait_until(Clock::time_point deadline) const;
  /// When it happened. Only for one that is done.
  Clock::time_point time() const { return time_; }
  /// When the work would have been done on a GPU. Of who does it, until it is done.
  timeline::Span span;
  Submitted submitted;  ///< the work

  /// Says that it happened, now; once.
  void finish() noexcept;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Clock::time_point time_{};
  std::atomic<bool> done_{false};
};

using CompletionPtr = std::shared_ptr<Completion>;
using Completions = std::vector<CompletionPtr>;

}  // namespace hipsight::runtime
