#include "report/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "code/readable_name.h"
#include "config/config.h"
#include "support/printable.h"

namespace hipsight::report {

ProgressOutput ProgressOutput::of(const Config& config) {
  constexpr double usual_seconds = 5;
  if (config.progress) return {.seconds = *config.progress, .rewritten = false};
  return {.seconds = isatty(STDERR_FILENO) ? usual_seconds : 0};
}

void Progress::begin(const std::string& kernel, std::uint64_t workgroups,
                     const std::atomic<std::uint64_t>& finished) {
  if (!(output_.seconds > 0)) return;
  const std::lock_guard lock(mutex_);
  running_.push_back({kernel, workgroups, &finished});
  if (thread_.joinable() || stop_) return;
  start_ = MachineClock::now();
  thread_ = std::thread([this] { run(); });
}

void Progress::end(const std::atomic<std::uint64_t>& finished) {
  if (!(output_.seconds > 0)) return;
  const std::lock_guard lock(mutex_);
  ++done_;
  running_.remove_if([&](const Launch& launch) { return launch.finished == &finished; });
}

void Progress::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopped_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Progress::run() {
  const std::chrono::duration<double> period(output_.seconds);
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, period, [&] { return stop_; })) {
    if (running_.empty()) continue;
    const std::string text = output_.rewritten ? "\r\033[K" + line() : line() + "\n";
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
    shown_ = true;
  }
  if (shown_ && output_.rewritten) std::fputs("\r\033[K", stderr);
}

std::string Progress::line() const {
  constexpr std::size_t longest_name = 48;
  const Launch& launch = running_.front();
  const std::chrono::duration<double> time = MachineClock::now() - start_;
  std::string name = printable(code::readable_name(launch.kernel));
  if (name.size() > longest_name) name = name.substr(0, longest_name - 3) + "...";
  return fmt::format(
      "hipsight: {:.0f} s, {} launches done; {}: {:.0f} % of {} workgroups", time.count(), done_,
      name,
      100.0 * double(*launch.finished) / double(std::max<std::uint64_t>(launch.workgroups, 1)),
      launch.workgroups);
}

}  // namespace hipsight::report
