#pragma once

#include <algorithm>

namespace hipsight::timeline {

/// When a GPU does an operation: in seconds of its own clock, 0 when the program began. The clock
/// is computed, not read, so it does not depend on the host (docs/timeline.md).
struct Span {
  double begin = 0;
  double end = 0;

  /// It begins no earlier than this. Before `takes`.
  void comes_after(double time) { begin = end = std::max(begin, time); }
  /// It is done for so long, once it has begun.
  void takes(double seconds) { end = begin + seconds; }
};

}  // namespace hipsight::timeline
