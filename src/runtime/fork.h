#pragma once

namespace hipsight::runtime {

/// From now on the child of a fork is told apart: it has none of the threads that its parent's work
/// runs on, and its locks may be held for ever.
void watch_fork();

/// Whether this process was forked by one that had used HIP. All that it may do is to exec or exit.
bool is_forked_child() noexcept;
/// Says so on stderr, once.
void complain_of_fork() noexcept;

}  // namespace hipsight::runtime
