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

void HostClock::go_to(double time) {
  calls_hip_ = true;
  now_ = time;
  tell();
}

void HostClock::spend(double seconds) {
  go_to(now_ + seconds);
}

void HostClock::submit() {
  asked_in_vain_ = 0;
  spend(launch_cost);
}

void HostClock::wait_until(double time) {
  asked_in_vain_ = 0;
  go_to(std::max(now_, time));
}

void HostClock::set(double time) {
  asked_in_vain_ = 0;
  go_to(time);
}

double HostClock::of_program() {
  sleep_until(now_ + clock_cost);
  return std::max(now_, latest.load());
}

void HostClock::sleep_until(double time) {
  now_ = std::max(now_, time);
  if (calls_hip_) tell();
}

bool HostClock::has_passed(double end) {
  if (now_ < end && ++asked_in_vain_ < patience) return false;
  wait_until(end);
  return true;
}

}  // namespace hipsight::timeline
