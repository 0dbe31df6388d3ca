#pragma once
// Threads of a workgroup on the host: fibers, of which one runs until it waits.

#include <ucontext.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace host_test {

class Fibers {
 public:
  /// Runs body(0) to body(count - 1), each on a stack of its own, until all have returned.
  static void run(std::uint32_t count, const std::function<void(Fibers&, std::uint32_t)>& body);

  std::uint32_t count() const { return static_cast<std::uint32_t>(fibers_.size()); }
  std::uint32_t current() const { return current_; }
  /// Returns when the fibers first … first + count - 1, or those of them there are, have come here.
  void wait_for(std::uint32_t first, std::uint32_t count);
  /// Counts as having waited so often: for fibers that others do not wait for meanwhile.
  void pass(std::uint64_t waits) { fibers_[current_].waits += waits; }

  std::vector<std::uint64_t> words;  // one for each fiber, to exchange values

 private:
  struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    std::uint64_t waits = 0;  // how often it has waited
    bool done = false;
  };
  Fibers(std::uint32_t count, const std::function<void(Fibers&, std::uint32_t)>& body);
  static void start(unsigned high, unsigned low);

  std::vector<Fiber> fibers_;
  const std::function<void(Fibers&, std::uint32_t)>& body_;
  std::uint32_t current_ = 0;
  ucontext_t main_;
};

}  // namespace host_test
