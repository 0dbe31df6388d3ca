// Memory of Python's arrays, which kernels use in place.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "hipsight/gpu.h"

namespace hipsight::python {

/// Bytes from one address to another.
using Range = std::pair<std::uintptr_t, std::uintptr_t>;

/// What is lent to a GPU: each array while a launch that was given it runs. So an access to an
/// array that has gone is found.
class HostMemory {
 public:
  explicit HostMemory(Gpu gpu) : gpu_(std::move(gpu)) {}

  /// Lends memory of the host until it goes.
  class Loan {
   public:
    Loan(HostMemory& memory, std::vector<Range> ranges)
        : memory_(memory), pieces_(memory.begin(joined(std::move(ranges)))) {}
    ~Loan() { memory_.end(pieces_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

   private:
    HostMemory& memory_;
    std::vector<std::uintptr_t> pieces_;
  };

 private:
  struct Piece {
    std::uintptr_t end = 0;
    unsigned loans = 0;
    Buffer buffer;
  };

  /// To the dword, as atomics on 16 bits are done on the dword around them; what overlaps is one.
  static std::vector<Range> joined(std::vector<Range> ranges) {
    constexpr std::uintptr_t dword = 4;
    for (auto& [begin, end] : ranges) begin &= ~(dword - 1), end = (end + dword - 1) & ~(dword - 1);
    std::ranges::sort(ranges);
    std::vector<Range> result;
    for (const Range& range : ranges)
      if (range.first == range.second)
        continue;
      else if (!result.empty() && range.first < result.back().second)
        result.back().second = std::max(result.back().second, range.second);
      else
        result.push_back(range);
    return result;
  }

  /// The pieces that hold the ranges. All at once: so launches at the same time, of several
  /// threads, never wait for each other in a circle.
  std::vector<std::uintptr_t> begin(const std::vector<Range>& ranges) {
    std::unique_lock lock(mutex_);
    // What shares only a part with a range cannot grow while a kernel uses it.
    changed_.wait(lock, [&] {
      return std::ranges::none_of(ranges, [&](const Range& range) {
        const auto piece = overlapping(range);
        return piece != pieces_.end() &&
               (piece->first > range.first || piece->second.end < range.second);
      });
    });
    std::vector<std::uintptr_t> held;
    try {
      for (const Range& range : ranges) {
        auto piece = overlapping(range);
        if (piece == pieces_.end()) {
          auto lent = gpu_.lend(
              {reinterpret_cast<std::byte*>(range.first), range.second - range.first}, "an array");
          if (!lent) throw lent.error();
          piece = pieces_.emplace(range.first, Piece{range.second, 0, *std::move(lent)}).first;
        }
        ++piece->second.loans;
        held.push_back(piece->first);
      }
    } catch (...) {
      release(held);
      throw;
    }
    return held;
  }

  void end(const std::vector<std::uintptr_t>& pieces) {
    const std::lock_guard lock(mutex_);
    release(pieces);
    changed_.notify_all();
  }

  void release(const std::vector<std::uintptr_t>& pieces) {
    for (const std::uintptr_t begin : pieces)
      if (const auto piece = pieces_.find(begin); --piece->second.loans == 0) pieces_.erase(piece);
  }

  std::map<std::uintptr_t, Piece>::iterator overlapping(const Range& range) {
    auto next = pieces_.lower_bound(range.second);
    if (next == pieces_.begin() || (--next)->second.end <= range.first) return pieces_.end();
    return next;
  }

  const Gpu gpu_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uintptr_t, Piece> pieces_;  ///< by where they begin
};

}  // namespace hipsight::python
