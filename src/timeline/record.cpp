#include "timeline/record.h"

#include <utility>

namespace hipsight::timeline {

void Record::add(Done done) {
  const std::lock_guard lock(mutex_);
  done_.push_back(std::move(done));
}

void Record::add_wait(Span span) {
  const std::lock_guard lock(mutex_);
  waits_.push_back(span);
}

Timeline Record::timeline() const {
  const std::lock_guard lock(mutex_);
  return timeline_of(done_, waits_);
}

}  // namespace hipsight::timeline
