#pragma once

#include <functional>

namespace hipsight::isa {

/// Runs `body`; false when it crashed (SIGSEGV, SIGBUS, SIGILL, SIGFPE or SIGABRT on this thread).
/// For third-party code that crashes on bad input and holds nothing that must be released. Crashes
/// of other threads go to the handlers that were there before. One body runs at a time.
bool guard_crashes(const std::function<void()>& body);

/// Keeps the handlers installed over many guard_crashes calls, which are then cheap.
class CrashGuard {
 public:
  CrashGuard();
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;
};

}  // namespace hipsight::isa
