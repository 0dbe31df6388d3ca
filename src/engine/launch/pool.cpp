#include "engine/launch/pool.h"

#include <algorithm>

namespace hipsight::engine {

Pool::Pool(unsigned threads)
    : size_(threads ? threads : std::max(1u, std::thread::hardware_concurrency())) {}

Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Pool::run(unsigned helpers, const std::function<void()>& work) {
  helpers = std::min(helpers, size_ - 1);
  if (helpers == 0) return work();
  Job job{&work, helpers};
  {
    const std::lock_guard lock(mutex_);
    // Threads start when there is work for them.
    while (threads_.size() < helpers) threads_.emplace_back([this] { serve(); });
    jobs_.push_back(&job);
  }
  wake_.notify_all();
  work();
  std::unique_lock lock(mutex_);
  std::erase(jobs_, &job);
  done_.wait(lock, [&] { return job.running == 0; });
}

void Pool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    Job* job = jobs_.front();
    ++job->running;
    if (--job->wanted == 0) jobs_.pop_front();
    lock.unlock();
    (*job->work)();
    lock.lock();
    --job->running;
    done_.notify_all();
  }
}

}  // namespace hipsight::engine
