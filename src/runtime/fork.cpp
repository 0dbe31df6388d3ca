#include "runtime/fork.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

namespace hipsight::runtime {
namespace {

std::atomic<bool> forked{false}, told{false};

}  // namespace

void watch_fork() {
  pthread_atfork(nullptr, nullptr, [] {
    forked = true;
    told = false;
  });
}

bool is_forked_child() noexcept {
  return forked.load(std::memory_order_relaxed);
}

void complain_of_fork() noexcept {
  if (told.exchange(true)) return;
  // Without a lock: the parent may have held any.
  constexpr std::string_view text =
      "hipsight: this process was forked by one that had used HIP; its HIP calls fail\n";
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace hipsight::runtime
