#pragma once

#include <cstdint>
#include <vector>

#include "profile/trace.h"

namespace hipsight::profile {

/// A cache with least-recently-used replacement: which of its lines it holds. Lines are numbers.
/// Neighbours lie in different sets; so do lines at strides of powers of two, by folding.
class Cache {
 public:
  /// `bytes` in lines of `line` bytes. Associativity is not published: 16 ways are assumed.
  Cache(std::uint64_t bytes, unsigned line, unsigned ways = 16);

  /// Whether it holds the line; it does so from now on. One that `streams` is the next to go.
  bool touch(std::uint64_t line, bool streams = false);

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  unsigned ways_;
  std::uint64_t sets_;
  std::vector<std::uint64_t> lines_;  // set by set, the most recent one first
};

/// Sends the neighbours' requests to vector memory through an L1 for each compute unit, which
/// begins empty, and the L2 of their XCD, which has what the workgroups before them left: sets
/// from_l1 and from_l2, and of the launch, sharing and footprint. A store is from_l2 where another
/// one, not yet written back, was before. Waves take turns, a request each. What
/// an earlier simulation has found, of another GPU, is forgotten.
void simulate_caches(const gpus::Gpu& gpu, LaunchTrace& trace);

}  // namespace hipsight::profile
