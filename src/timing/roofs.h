#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpus/gpu.h"
#include "profile/summary.h"
#include "timing/occupancy.h"

namespace hipsight::timing {

/// What a kernel's launches were, for its roofs.
struct Launches {
  const profile::Summary* summary = nullptr;
  Occupancy occupancy;
  std::uint32_t wavefront_size = 64;
  /// Bytes that must cross to DRAM however good the caches are, all launches together; if known.
  std::optional<double> compulsory_bytes;
};

/// The time that one resource alone would take, the others being infinitely fast.
struct Roof {
  enum class Kind { Vector, Matrix, Issue, WaveIssue, Lds, L2, Dram, DramCompulsory, Launch };
  Kind kind;
  std::string name;       ///< "matrix f16"
  double seconds = 0;     ///< all launches together
  std::string evidence;   ///< amount and rate: "137 GFLOP at 1307 TFLOP/s"
  double per_second = 0;  ///< that rate, of FLOP or bytes; 0: neither
};

/// UNVALIDATED first-order roofs: no cache, latency, bank conflict, coalescing or clock under load
/// is modelled.
struct Roofs {
  std::vector<Roof> roofs;           ///< longest first
  std::vector<std::string> unknown;  ///< roofs that the GPU file gives no rate for
  double busy_compute_units = 0;     ///< of a launch, on average
  double rounds = 0;                 ///< workgroups of a launch over those resident at a time
  const Roof* find(Roof::Kind kind) const;  ///< the longest of a kind, or null
};

Roofs roofs(const gpus::Gpu& gpu, const Launches& launches);

/// The name of a type in the rates of GPU files; empty: they have none.
std::string_view rate_name(isa::Number number);

}  // namespace hipsight::timing
