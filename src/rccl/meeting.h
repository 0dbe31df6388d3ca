#pragma once
// Operations in graphs. Each rank's stream records a graph of its own, so events cannot order one
// rank's kernels behind another's: functions of the host, nodes of the graphs, wait for each other.

#include <atomic>
#include <memory>
#include <vector>

#include "clique.h"

namespace hipsight::rccl {

/// Whether streams record graphs: all of them do, or none.
Failure recording(const std::vector<hipStream_t>& streams, bool& all);

/// Puts a node into the graph of each stream. When the graphs run, what comes later in any of them
/// begins when all have come there, or when `stop` is true. The graphs own what this takes.
Failure meet_in_graphs(std::vector<hipStream_t> streams,
                       const std::shared_ptr<std::atomic<bool>>& stop);

/// While it lives, calls of this thread that a recorded graph must not see, such as hipMalloc, may
/// be made beside captures.
class BesideCaptures {
 public:
  BesideCaptures() { static_cast<void>(hipThreadExchangeStreamCaptureMode(&mode_)); }
  ~BesideCaptures() { static_cast<void>(hipThreadExchangeStreamCaptureMode(&mode_)); }
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;

 private:
  hipStreamCaptureMode mode_ = hipStreamCaptureModeRelaxed;
};

}  // namespace hipsight::rccl
