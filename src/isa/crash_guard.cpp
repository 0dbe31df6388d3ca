#include "isa/crash_guard.h"

#include <array>
#include <csetjmp>
#include <csignal>
#include <mutex>

namespace hipsight::isa {
namespace {

constexpr std::array signals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

std::recursive_mutex mutex;
int depth = 0;
std::array<struct sigaction, signals.size()> previous;
thread_local sigjmp_buf* escape = nullptr;

void handle(int signal, siginfo_t* info, void* context) {
  if (escape) siglongjmp(*escape, 1);
  // Another thread's crash: it is none of ours.
  for (std::size_t i = 0; i < signals.size(); ++i) {
    if (signals[i] != signal) continue;
    const struct sigaction& old = previous[i];
    if (old.sa_flags & SA_SIGINFO) return old.sa_sigaction(signal, info, context);
    if (old.sa_handler == SIG_IGN) return;
    if (old.sa_handler != SIG_DFL) return old.sa_handler(signal);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

CrashGuard::CrashGuard() {
  mutex.lock();
  if (depth++ > 0) return;
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &previous[i]);
}

CrashGuard::~CrashGuard() {
  if (--depth == 0)
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &previous[i], nullptr);
  mutex.unlock();
}

bool guard_crashes(const std::function<void()>& body) {
  const CrashGuard guard;
  sigjmp_buf here;
  sigjmp_buf* const outer = escape;
  escape = &here;
  const bool crashed = sigsetjmp(here, 0) != 0;
  if (!crashed) body();
  escape = outer;
  return !crashed;
}

}  // namespace hipsight::isa
