#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <chrono>

namespace hipsight {

/// The machine's steady clock, also where the program's clocks go by the GPU's (--host-clock).
struct MachineClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MachineClock>;
  static constexpr bool is_steady = true;

  static time_point now() {
    timespec time{};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);  // which no library can answer
    return time_point(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
  }
};

}  // namespace hipsight
