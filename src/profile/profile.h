#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine.h"
#include "profile/trace.h"

namespace hipsight::profile {

/// Requests (request_bytes) that went through the simulated caches. Stores pass the L1 by.
struct CacheUse {
  std::uint64_t l1_loads = 0, l1_hits = 0;
  std::uint64_t l2_requests = 0, l2_hits = 0;

  CacheUse& operator+=(const CacheUse& other);
};

/// One instruction of a launch.
struct InstructionProfile {
  const isa::Instruction* instruction = nullptr;
  std::uint64_t executions = 0, lanes = 0;  ///< exact, of all workgroups
  std::uint64_t observed = 0;               ///< executions in the workgroups that were observed
  Use use;                                  ///< of those
  CacheUse caches;                          ///< of neighbours only

  /// A figure of the observed executions, for all of them.
  double scaled(double figure) const {
    return observed ? figure * static_cast<double>(executions) / static_cast<double>(observed) : 0;
  }
};

/// What a kernel's launch did, instruction by instruction: counts are exact, what needs addresses
/// comes from the workgroups that were observed.
struct Profile {
  std::vector<InstructionProfile> instructions;  ///< in order of their addresses
  std::uint64_t workgroups = 0, observed = 0, neighbours = 0;
  /// How far instruction counts, had they come from the observed workgroups alone, would be from
  /// the exact ones: |scaled - exact| / exact.
  double sampling_error = 0;
  bool cut = false;  ///< caches saw only the beginning of some workgroups
};

/// `trace` has observed the launch that `result` came from, and went through simulate.
Profile profile(const LaunchTrace& trace, const engine::Result& result);

}  // namespace hipsight::profile
