// The last word of a process under `hipsight run`. A program may end by _exit or become another one
// by exec, of which no exit handler hears; and one that never uses HIP does not load our runtime at
// all. So this small library is loaded before all else. It calls the runtime, if that is there,
// before such an end; and in the program's first process it says what of the run is missing, by its
// exit code (docs/exit-codes.md).
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "support/run_state.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

// The runtime puts a function here, which writes its report.
EXPORT void (*hipsight_before_leaving)(const char* how);
void (*hipsight_before_leaving)(const char* how) = nullptr;

namespace {

using hipsight::RunState;

constexpr int kNothingMade = 125;

RunState* state = nullptr;  // of the run, if this is its first process
pid_t first_process = 0;

void before_leaving(const char* how) {
  if (hipsight_before_leaving) hipsight_before_leaving(how);
}

// The program's exit code, or ours if it returned 0 but something that was asked for is missing.
int last_word(int status) {
  if (!state || getpid() != first_process) return status;  // a forked child
  const RunState& run = *state;
  state = nullptr;
  if (status != 0) return status;  // the program's word is kept
  if (run.processes == 0)
    std::fprintf(stderr, "hipsight: no process of the program used HIP: there is no report\n");
  const bool missing = (run.wanted & ~run.made) != 0 || run.failed != 0;
  return missing ? kNothingMade : status;
}

// The C library's own function of this name, or another library's that stands before it.
template <class Function>
Function next(const char* name, Function) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

[[noreturn]] void leave(int status) {
  next("_exit", &_exit)(status);
  __builtin_unreachable();
}

// Runs after the destructors of all libraries: it was registered before theirs.
void at_exit(int status, void*) {
  const int code = last_word(status & 0xff);
  if (code == (status & 0xff)) return;
  std::fflush(nullptr);
  leave(code);
}

__attribute__((constructor)) void begin() {
  const char* name = secure_getenv("HIPSIGHT_RUN");
  char* end = nullptr;
  if (!name || std::strtol(name, &end, 10) != getpid() || *end != ':') return;
  const int file = std::atoi(end + 1);
  struct stat info{};
  if (fstat(file, &info) != 0 || info.st_size != sizeof(RunState)) return;
  void* const memory = mmap(nullptr, sizeof(RunState), PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return;
  if (static_cast<RunState*>(memory)->magic != RunState::kMagic) return;
  state = static_cast<RunState*>(memory);
  first_process = getpid();
  on_exit(at_exit, nullptr);
  at_quick_exit([] { before_leaving("quick_exit"); });
}

// The arguments of execl and its kind, up to a null pointer.
struct Words {
  explicit Words(const char* first, va_list& more) {
    va_list counted;
    va_copy(counted, more);
    for (const char* word = first; word; word = va_arg(counted, const char*)) ++count;
    va_end(counted);
    list = static_cast<char**>(std::malloc((count + 1) * sizeof *list));
    if (!list) return;
    for (std::size_t i = 0; i < count; ++i)
      list[i] = const_cast<char*>(i ? va_arg(more, const char*) : first);
    if (count) va_arg(more, const char*);
    list[count] = nullptr;
  }
  ~Words() { std::free(list); }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  std::size_t count = 0;
  char** list = nullptr;
};

}  // namespace

EXPORT __attribute__((noreturn)) void _exit(int status) {
  before_leaving("_exit");
  leave(last_word(status & 0xff));
}
EXPORT __attribute__((noreturn)) void _Exit(int status) noexcept {
  _exit(status);
}

EXPORT int execve(const char* path, char* const* words, char* const* environment) noexcept {
  before_leaving("exec");
  return next("execve", &execve)(path, words, environment);
}
EXPORT int execv(const char* path, char* const* words) noexcept {
  before_leaving("exec");
  return next("execv", &execv)(path, words);
}
EXPORT int execvp(const char* file, char* const* words) noexcept {
  before_leaving("exec");
  return next("execvp", &execvp)(file, words);
}
EXPORT int execvpe(const char* file, char* const* words, char* const* environment) noexcept {
  before_leaving("exec");
  return next("execvpe", &execvpe)(file, words, environment);
}
EXPORT int fexecve(int file, char* const* words, char* const* environment) noexcept {
  before_leaving("exec");
  return next("fexecve", &fexecve)(file, words, environment);
}
EXPORT int execl(const char* path, const char* word, ...) noexcept {
  va_list more;
  va_start(more, word);
  const Words words(word, more);
  va_end(more);
  return execv(path, words.list);
}
EXPORT int execlp(const char* file, const char* word, ...) noexcept {
  va_list more;
  va_start(more, word);
  const Words words(word, more);
  va_end(more);
  return execvp(file, words.list);
}
EXPORT int execle(const char* path, const char* word, ...) noexcept {
  va_list more;
  va_start(more, word);
  const Words words(word, more);
  char* const* const environment = va_arg(more, char* const*);
  va_end(more);
  return execve(path, words.list, environment);
}
