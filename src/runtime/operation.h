#pragma once

#include <functional>
#include <optional>
#include <string>

#include "runtime/hip_types.h"

namespace hipsight::runtime {

/// A piece of work: what a stream runs and what a node of a graph holds. May run more than once.
struct Operation {
  std::string what;  ///< for messages: "kernel scale", "copy of 4096 bytes"
  /// Does the work. @throws KernelError or Failure.
  std::function<void()> run;
  /// Over in no time: may run on the submitting thread when nothing is before it.
  bool quick = false;
  /// Runs on a device that is lost to a kernel error as well.
  bool always = false;
  /// What it is as a node of a graph; nothing when it cannot be one.
  std::optional<hipGraphNodeType> type = {};
};

}  // namespace hipsight::runtime
