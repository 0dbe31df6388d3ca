#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/hip_types.h"
#include "timeline/span.h"

namespace hipsight::runtime {

/// A piece of work: what a stream runs and what a node of a graph holds. May run more than once.
struct Operation {
  std::string what;  ///< for messages: "kernel scale", "copy of 4096 bytes"
  /// Does the work, which begins on the GPU's clock where the span does, and says how long that
  /// takes. @throws KernelError or Failure.
  std::function<void(timeline::Span&)> run;
  /// Over in no time: may run on the submitting thread when nothing is before it.
  bool quick = false;
  /// Runs on a device that is lost to a kernel error as well.
  bool always = false;
  /// What it is as a node of a graph; nothing when it cannot be one.
  std::optional<hipGraphNodeType> type = {};
  std::uint64_t workgroups = 0;  ///< of a kernel
};

}  // namespace hipsight::runtime
