#include "runtime/signals.h"

#include <fmt/format.h>
#include <semaphore.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <system_error>
#include <thread>

#include "runtime/state.h"

namespace hipsight::runtime {
namespace {

// Those whose default action ends a process (signal(7)), but for SIGKILL and channels of the
// program's own (SIGUSR1, real-time signals).
constexpr std::array kSignals{SIGHUP,  SIGINT,  SIGQUIT, SIGILL, SIGABRT, SIGFPE, SIGSEGV,
                              SIGPIPE, SIGALRM, SIGTERM, SIGBUS, SIGSYS,  SIGXCPU};

// A handler may call next to nothing, wherever it interrupts the program: so a thread that waits
// writes the report, and the handler waits for it.
sem_t wanted, written;
std::atomic<int> signal_number{0};
pid_t process = 0;
std::thread::native_handle_type reporter{};

void wait_for(sem_t& semaphore) {
  while (sem_wait(&semaphore) != 0 && errno == EINTR) {
  }
}

/// What holds a lock that the report needs was interrupted, too: then there is none.
void wait_a_while(sem_t& semaphore) {
  constexpr time_t seconds = 10;
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += seconds;
  while (sem_timedwait(&semaphore, &until) != 0 && errno == EINTR) {
  }
}

void on_signal(int number, siginfo_t* info, void*) {
  const int saved = errno;
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  // A child that was forked has no such thread, and no report.
  int none = 0;
  if (getpid() == process && !pthread_equal(pthread_self(), reporter)) {
    if (signal_number.compare_exchange_strong(none, number)) {
      sem_post(&wanted);
      wait_a_while(written);
    } else {
      return;  // one is on its way already, and ends the process
    }
  }
  sigaction(number, &usual, nullptr);
  // A fault happens again when the handler returns; what was sent must be sent again.
  const bool fault = number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE;
  if (!fault || info->si_code <= 0) raise(number);
  errno = saved;
}

/// A stack that has overflowed has no room for a handler. Of the thread that begins to use HIP,
/// most often the program's first.
void make_room_for_handlers() {
  static std::array<std::byte, 1 << 16> room;
  stack_t now{};
  if (sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
  stack_t ours{};
  ours.ss_sp = room.data();
  ours.ss_size = room.size();
  sigaltstack(&ours, nullptr);
}

void serve() {
  wait_for(wanted);
  const int number = signal_number;
  if (Context* const context = Context::get_if_made())
    context->session().finish(fmt::format("signal {} ({})", number, strsignal(number)));
  sem_post(&written);
}

}  // namespace

void watch_signals() {
  process = getpid();
  sem_init(&wanted, 0, 0);
  sem_init(&written, 0, 0);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // it must not be the one that is interrupted
  try {
    std::thread thread(serve);
    reporter = thread.native_handle();
    thread.detach();
  } catch (const std::system_error&) {
    process = 0;  // then without
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (process == 0) return;
  make_room_for_handlers();
  for (const int number : kSignals) {
    struct sigaction now{};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    struct sigaction ours{};
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&ours.sa_mask);
    for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) sigdelset(&ours.sa_mask, fault);
    sigaction(number, &ours, nullptr);
  }
}

}  // namespace hipsight::runtime
