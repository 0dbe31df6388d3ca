#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>

#include "report/reporter.h"
#include "support/machine_clock.h"

namespace hipsight::report {

/// Says on stderr how far a long run is: a line now and then, by a thread of its own, which begins
/// with the first launch.
class Progress {
 public:
  explicit Progress(ProgressOutput output) : output_(output) {}
  ~Progress() { stop(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A launch begins; `finished` counts its workgroups until it ends.
  void begin(const std::string& kernel, std::uint64_t workgroups,
             const std::atomic<std::uint64_t>& finished);
  void end(const std::atomic<std::uint64_t>& finished);
  /// Ends the thread, and takes its line from the terminal.
  void stop();

 private:
  struct Launch {
    std::string kernel;
    std::uint64_t workgroups = 0;
    const std::atomic<std::uint64_t>* finished = nullptr;
  };
  void run();
  std::string line() const;

  const ProgressOutput output_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  std::list<Launch> running_;  // in order of their start
  std::uint64_t done_ = 0;     // launches
  bool stop_ = false, shown_ = false;
  MachineClock::time_point start_;
  std::thread thread_;
};

}  // namespace hipsight::report
