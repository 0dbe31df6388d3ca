// The program's own clocks under `hipsight run --host-clock`: they go by the GPU's clock
// (docs/timeline.md), so that a program which times itself by std::chrono or time.perf_counter()
// prints the GPU's time. Until the runtime has started, and in processes that never use HIP, they
// are the machine's. Clocks of processor time always are.
//
// Sleeps, and waits with a deadline, take as long as they would without hipsight. When one has
// timed out the thread's clock has gone on by as much.
#include "support/program_clock.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using hipsight::ProgramClock;

/// The C library's own function of this name, or another library's that stands before it.
template <class Function>
Function next(const char* name, Function) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

double seconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// `time`, so many seconds later; none below 0.
timespec later(const timespec& time, double seconds) {
  constexpr long long second = 1'000'000'000;
  long long in_ns = time.tv_sec * second + time.tv_nsec;
  in_ns += static_cast<long long>(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5));
  if (in_ns < 0) in_ns = 0;
  return {.tv_sec = static_cast<time_t>(in_ns / second),
          .tv_nsec = static_cast<long>(in_ns % second)};
}

// --- what the clocks say ------------------------------------------------------------------------

constexpr int clocks = 12;  // CLOCK_TAI is 11

/// Whether it tells the time of day, or since the machine began.
bool tells_time(clockid_t id) {
  switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_TAI:
      return true;
    default:
      return false;
  }
}

using GetTime = int(clockid_t, timespec*);
std::atomic<GetTime*> machine_gettime{nullptr};

int machine_time(clockid_t id, timespec* time) {
  GetTime* function = machine_gettime.load(std::memory_order_relaxed);
  if (!function) {
    function = next("clock_gettime", &clock_gettime);
    machine_gettime.store(function, std::memory_order_relaxed);
  }
  return function(id, time);
}

/// What each clock of the machine said when the program's was 0, in whole microseconds: what
/// gettimeofday() cuts off is then the same in every run.
timespec zero[clocks];
const ProgramClock* volatile program_clock = nullptr;  // of the program; before: null

const ProgramClock* clock_of_program() {
  return __atomic_load_n(&program_clock, __ATOMIC_ACQUIRE);
}

int time_of(clockid_t id, timespec* time) {
  const ProgramClock* const clock = clock_of_program();
  if (!clock || !tells_time(id)) return machine_time(id, time);
  *time = later(zero[id], clock->now());
  return 0;
}

// --- waits --------------------------------------------------------------------------------------

/// A wait that ends after so many seconds of the program's, if nothing else ends it.
class Wait {
 public:
  Wait() = default;
  explicit Wait(double seconds) : clock_(clock_of_program()) {
    if (clock_) until_ = clock_->now() + (seconds > 0 ? seconds : 0);
  }
  /// It has lasted to its end.
  void timed_out() const {
    if (!clock_) return;
    const int error = errno;
    clock_->sleep_until(until_);
    errno = error;
  }

 private:
  const ProgramClock* clock_ = nullptr;
  double until_ = 0;
};

/// A wait for a time of the program's clock.
class Deadline {
 public:
  Deadline(clockid_t id, const timespec* deadline) : machine_(deadline) {
    if (!clock_of_program() || !deadline || !tells_time(id)) return;
    timespec program, now;
    time_of(id, &program);
    // Apart: the seconds of a date leave a double no nanoseconds.
    const timespec until{deadline->tv_sec - program.tv_sec, deadline->tv_nsec - program.tv_nsec};
    constexpr double longest = 1e9;  // "for ever", whose nanoseconds are still a number
    const double left = std::min(seconds_of(until), longest);
    machine_time(id, &now);
    moved_ = later(now, left);
    machine_ = &moved_;
    wait_ = Wait(left);
  }

  /// The machine's clock is this then.
  const timespec* machine() const { return machine_; }
  /// What the wait came to: `error`, or -1 and errno.
  int ended(int error) const {
    if (error == ETIMEDOUT || (error == -1 && errno == ETIMEDOUT)) wait_.timed_out();
    return error;
  }

 private:
  const timespec* machine_;
  timespec moved_{};
  Wait wait_;
};

/// Which clock a condition variable goes by is not ours to ask. The time of day is decades ahead of
/// the machine's time since it began.
clockid_t clock_of(const timespec* deadline) {
  timespec day, machine;
  machine_time(CLOCK_REALTIME, &day);
  machine_time(CLOCK_MONOTONIC, &machine);
  const bool of_day =
      deadline && deadline->tv_sec > machine.tv_sec + (day.tv_sec - machine.tv_sec) / 2;
  return of_day ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

}  // namespace

EXPORT void hipsight_use_program_clock(const ProgramClock& clock) {
  const double now = clock.now();
  for (clockid_t id = 0; id < clocks; ++id) {
    timespec time;
    if (!tells_time(id) || machine_time(id, &time) != 0) continue;
    zero[id] = later(time, -now);
    zero[id].tv_nsec -= zero[id].tv_nsec % 1000;
  }
  __atomic_store_n(&program_clock, &clock, __ATOMIC_RELEASE);
}

EXPORT int clock_gettime(clockid_t id, timespec* time) noexcept {
  return time_of(id, time);
}
EXPORT int timespec_get(timespec* time, int base) noexcept {
  if (base != TIME_UTC) return 0;
  return time_of(CLOCK_REALTIME, time) == 0 ? base : 0;
}
EXPORT int gettimeofday(timeval* time, void* zone) noexcept {
  if (zone) *static_cast<struct timezone*>(zone) = {};
  timespec now;
  if (time_of(CLOCK_REALTIME, &now) != 0) return -1;
  *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return 0;
}
EXPORT time_t time(time_t* time) noexcept {
  timespec now;
  time_of(CLOCK_REALTIME, &now);
  if (time) *time = now.tv_sec;
  return now.tv_sec;
}

EXPORT int nanosleep(const timespec* length, timespec* left) {
  const Wait wait(length ? seconds_of(*length) : 0);
  const int result = next("nanosleep", &nanosleep)(length, left);
  if (result == 0) wait.timed_out();
  return result;
}
EXPORT int clock_nanosleep(clockid_t id, int flags, const timespec* length, timespec* left) {
  const auto sleep = next("clock_nanosleep", &clock_nanosleep);
  if (flags & TIMER_ABSTIME) {
    const Deadline deadline(id, length);
    const int error = sleep(id, flags, deadline.machine(), left);
    deadline.ended(error == 0 ? ETIMEDOUT : error);
    return error;
  }
  const Wait wait(length ? seconds_of(*length) : 0);
  const int error = sleep(id, flags, length, left);
  if (error == 0) wait.timed_out();
  return error;
}
EXPORT int usleep(useconds_t length) {
  const Wait wait(length * 1e-6);
  const int result = next("usleep", &usleep)(length);
  if (result == 0) wait.timed_out();
  return result;
}
EXPORT unsigned sleep(unsigned seconds) {
  const Wait wait(seconds);
  const unsigned left = next("sleep", &sleep)(seconds);
  if (left == 0) wait.timed_out();
  return left;
}

EXPORT int poll(pollfd* files, nfds_t count, int milliseconds) {
  const Wait wait(milliseconds * 1e-3);
  const int ready = next("poll", &poll)(files, count, milliseconds);
  if (ready == 0) wait.timed_out();
  return ready;
}
EXPORT int epoll_wait(int file, epoll_event* events, int most, int milliseconds) {
  const Wait wait(milliseconds * 1e-3);
  const int ready = next("epoll_wait", &epoll_wait)(file, events, most, milliseconds);
  if (ready == 0) wait.timed_out();
  return ready;
}
EXPORT int select(int count, fd_set* in, fd_set* out, fd_set* wrong, timeval* most) {
  const Wait wait(
      most ? static_cast<double>(most->tv_sec) + static_cast<double>(most->tv_usec) * 1e-6 : 0);
  const int ready = next("select", &select)(count, in, out, wrong, most);
  if (ready == 0) wait.timed_out();
  return ready;
}

EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                  const timespec* until) {
  const Deadline deadline(clock_of(until), until);
  return deadline.ended(next("pthread_cond_timedwait", &pthread_cond_timedwait)(
      condition, mutex, deadline.machine()));
}
EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t id,
                                  const timespec* until) {
  const Deadline deadline(id, until);
  return deadline.ended(next("pthread_cond_clockwait", &pthread_cond_clockwait)(
      condition, mutex, id, deadline.machine()));
}
EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  const Deadline deadline(CLOCK_REALTIME, until);
  return deadline.ended(
      next("pthread_mutex_timedlock", &pthread_mutex_timedlock)(mutex, deadline.machine()));
}
EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  const Deadline deadline(CLOCK_REALTIME, until);
  return deadline.ended(next("sem_timedwait", &sem_timedwait)(semaphore, deadline.machine()));
}
EXPORT int sem_clockwait(sem_t* semaphore, clockid_t id, const timespec* until) {
  const Deadline deadline(id, until);
  return deadline.ended(next("sem_clockwait", &sem_clockwait)(semaphore, id, deadline.machine()));
}
