#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace hipsight::engine {

/// Host threads that help the thread that launches. The launching thread always works too, so that
/// launches that wait for each other all make progress.
class Pool {
 public:
  /// `threads` in all, the launching one included; 0: one per core.
  explicit Pool(unsigned threads);
  ~Pool();

  unsigned size() const { return size_; }
  /// Runs `work` on this thread and on up to `helpers` others; returns when all have ended.
  void run(unsigned helpers, const std::function<void()>& work);

 private:
  struct Job {
    const std::function<void()>* work;
    unsigned wanted;
    unsigned running = 0;
  };
  void serve();

  unsigned size_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<Job*> jobs_;
  std::vector<std::thread> threads_;
  bool stopping_ = false;
};

}  // namespace hipsight::engine
