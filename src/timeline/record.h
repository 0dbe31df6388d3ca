#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "hipsight/values.h"
#include "timeline/span.h"

namespace hipsight::timeline {

/// An operation that a GPU did.
struct Done {
  TimelineOperation::Kind kind = TimelineOperation::Kind::Other;
  std::string what;
  int device = 0;
  std::uint32_t stream = 0;  ///< 0: the device's null stream
  double submitted = 0;      ///< when the host had handed it on
  Span span;
  std::string range;  ///< of the program, that it was submitted in
  double filled = 1;  ///< of a kernel: the share of compute units that have a workgroup of it
};

/// What a program did on the GPU's clock. Safe to use from several threads.
class Record {
 public:
  void add(Done done);
  /// A thread of the host waited for a GPU.
  void add_wait(Span span);
  /// As it is known now, the same however threads came to add to it.
  Timeline timeline() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Done> done_;
  std::vector<Span> waits_;
};

/// What to tell of it. `waits`: of the host.
Timeline timeline_of(std::vector<Done> done, std::vector<Span> waits);

}  // namespace hipsight::timeline
