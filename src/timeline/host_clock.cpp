#include "timeline/host_clock.h"

#include <algorithm>
#include <atomic>

namespace hipsight::timeline {
namespace {

std::atomic<double> latest{0};

}  // namespace

HostClock::HostClock() : now_(latest.load()) {}

HostClock& HostClock::of_thread() {
  thread_local HostClock clock;
  return clock;
}

void HostClock::tell() const {
  double known = latest.load();
  while (known < now_ && !latest.compare_exchange_weak(known, now_)) {
  }
}

void HostClock::spend(double seconds) {
  now_ += seconds;
  tell();
}

void HostClock::submit() {
  asked_in_vain_ = 0;
  spend(launch_cost);
}

void HostClock::wait_until(double time) {
  asked_in_vain_ = 0;
  now_ = std::max(now_, time);
  tell();
}

void HostClock::set(double time) {
  asked_in_vain_ = 0;
  now_ = time;
  tell();
}

bool HostClock::has_passed(double end) {
  if (now_ < end && ++asked_in_vain_ < patience) return false;
  wait_until(end);
  return true;
}

}  // namespace hipsight::timeline
