#pragma once

#include <string>

#include "runtime/stream/operation.h"
#include "timeline/span.h"

namespace hipsight::runtime {

/// Where an operation was submitted.
struct Submitted {
  int device = 0;
  std::uint32_t stream = 0;
  double at = 0;  ///< on the host's clock
  std::string range;
};

/// Does an operation of a stream, and notes it for the timeline, if that is asked for.
void do_noted(const Operation& operation, const Submitted& submitted, timeline::Span& span);
/// The same of a graph's node, while its graph's operation is under way.
void do_node(const Operation& operation, timeline::Span& span);
/// A wait of this thread for the GPU until then, on its clock.
void wait_noted(double until);

}  // namespace hipsight::runtime
