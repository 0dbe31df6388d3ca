#include "runtime/exit.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ranges>
#include <string>

#include "runtime/fork.h"
#include "runtime/launch/recorder.h"
#include "runtime/state.h"
#include "runtime/stream/stream.h"
#include "support/run_state.h"

namespace hipsight::runtime {
namespace {

// docs/exit-codes.md: for programs that returned 0 although a kernel failed, or a file is missing.
constexpr int kernel_error_status = 86;
constexpr int finding_status = 87;
constexpr int timeout_status = 124;
constexpr int missing_status = 125;

int program_status = -1;  // the program's own, once it exits
pid_t process = 0;        // that the context is of: a child of vfork has its memory

/// Writes what the program's streams of C++ still hold. Its libstdc++ is not ours, if it has one.
void flush_program_streams() {
  using Flush = void* (*)(void* stream);  // std::ostream::flush
  const auto find = [](const char* name) {
    if (void* found = dlsym(RTLD_DEFAULT, name)) return found;         // of a program that links it
    void* library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);  // of a plugin
    return library ? dlsym(library, name) : nullptr;
  };
  const auto flush = reinterpret_cast<Flush>(find("_ZNSo5flushEv"));
  if (!flush) return;
  for (const char* name : {"_ZSt4cout", "_ZSt4clog"})
    if (void* stream = find(name); stream && *static_cast<void**>(stream))  // is it constructed?
      flush(stream);
}

[[noreturn]] void leave(int status) {
  flush_program_streams();
  std::fflush(nullptr);
  _exit(status);
}

/// Lets the streams finish. False when there is work left after the time that the user gives it.
bool finish_streams(const Settings& settings) {
  const auto left = finish_work(Completion::Clock::now() + settings.exit_wait);
  if (left.empty()) return true;
  std::string text = fmt::format(
      "the program ended, but {} operation{} did not within {:g} s:", left.size(),
      left.size() == 1 ? "" : "s", std::chrono::duration<double>(settings.exit_wait).count());
  constexpr std::size_t most = 5;
  for (const std::string& what : left | std::views::take(most)) text += "\n  " + what;
  if (left.size() > most) text += "\n  ...";
  complain(text);
  return false;
}

/// Finds memory that the program has from HIP and did not free.
void check_leaks(Context& context) {
  if (!context.session().checks("leakcheck")) return;
  constexpr std::size_t most = 20;  // told one by one
  std::size_t more = 0, bytes = 0;
  std::size_t told = 0;
  const auto add = [&](std::uintptr_t address, std::string text) {
    context.session().add(
        {.tool = "leakcheck", .text = std::move(text), .count = 1, .address = address});
  };
  for (const auto& one : context.memory().all()) {
    if (one.registered || !one.label.starts_with("hip")) continue;  // its own, or not asked for
    if (++told <= most)
      add(one.begin, fmt::format("not freed: {}, {} bytes", one.label, one.size));
    else
      ++more, bytes += one.size;
  }
  if (more) add(0, fmt::format("not freed: {} more allocations, {} bytes", more, bytes));
}

/// What is done and told at the end, and the exit code that it asks for; -1: the program's own.
int finish(Context& context) {
  // Threads that still run kernels must not see the rest of the process go.
  const int own = std::max(program_status, 0);
  const bool all_done = finish_streams(context.settings());
  check_leaks(context);
  context.session().finish();
  const bool no_capture = recording_is_missing(context);
  const hipError_t error = first_kernel_error();
  if (!all_done) return own != 0 ? own : timeout_status;
  if (program_status != 0) return -1;
  if (error == hipErrorLaunchTimeOut) return timeout_status;
  if (error != hipSuccess) return kernel_error_status;
  if (context.session().has_findings() || context.session().condition_holds())
    return finding_status;
  // Of a run of several processes its first one says what is missing (src/leave).
  const bool missing = no_capture || !context.session().complete();
  return missing && !run_state() ? missing_status : -1;
}

// Runs when the program and the libraries above this one have run their exit handlers and static
// destructors, which may still call HIP; only then is the report complete.
__attribute__((destructor)) void finish_process() {
  Context* const context = Context::get_if_made();
  if (!context || is_forked_child()) return;
  int status = -1;
  try {
    status = finish(*context);
  } catch (const std::exception& error) {
    complain(error.what());
  } catch (const Failure&) {
    complain("the report is not complete");
  }
  if (status >= 0) leave(status);
}

/// Before _exit and exec, of which nobody else hears (src/leave). Work that is left is not waited
/// for.
void before_leaving(const char* how) {
  Context* const context = Context::get_if_made();
  if (context && !is_forked_child() && getpid() == process) context->session().finish(how);
}

}  // namespace

void watch_exit() {
  process = getpid();
  using Hook = void (*)(const char*);
  if (void* const place = dlsym(RTLD_DEFAULT, "hipsight_before_leaving"))
    *static_cast<Hook*>(place) = before_leaving;
  on_exit([](int status, void*) { program_status = status & 0xff; }, nullptr);
}

}  // namespace hipsight::runtime
