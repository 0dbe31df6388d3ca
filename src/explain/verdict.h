#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpus/gpu.h"
#include "timing/roofs.h"

namespace hipsight::explain {

/// What bounds a kernel, as far as its first-order roofs tell.
struct Verdict {
  /// Floating-point operations per byte of memory requests (global, flat, scratch); absent without
  /// requests.
  std::optional<double> arithmetic_intensity;
  std::string bound;     ///< name of the roof that binds: "matrix f16"
  double seconds = 0;    ///< the time of that roof, all launches together
  std::string sentence;  ///< the bound in plain words
};

Verdict verdict(const gpus::Gpu& gpu, const timing::Launches& launches, const timing::Roofs& roofs);

/// What the roofs leave out, in one sentence: goes with every verdict.
std::string_view caveat();

}  // namespace hipsight::explain
