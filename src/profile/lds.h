#pragma once

#include <cstdint>
#include <vector>

#include "gpus/gpu.h"
#include "profile/trace.h"

namespace hipsight::profile {

/// Cycles for which an instruction keeps a compute unit's LDS.
struct LdsCost {
  unsigned cycles = 0;
  unsigned least = 0;  ///< had no two lanes of a phase met in a bank
};

/// How the LDS of a GPU serves accesses of one width: phase after phase, in each of which a bank
/// gives one dword (to every lane that asks for that one). From the GPU's file, which says what was
/// measured.
class LdsPort {
 public:
  /// `bytes` that a lane moves. Atomics take a lane at a time from each bank.
  LdsPort(const gpus::Gpu& gpu, bool store, bool atomic, unsigned bytes);

  /// `at`: bytes from the begin of LDS, of each lane in the mask.
  LdsCost cost(std::uint64_t mask, const std::uint64_t* at) const;

 private:
  unsigned cycles(std::uint64_t lanes, const std::uint64_t* at) const;

  std::vector<std::uint64_t> phases_;  // lanes of each
  unsigned banks_, dwords_;
  bool atomic_;
};

/// Of each request to LDS, and of each instruction's: the cycles that its pattern takes on that
/// GPU.
void simulate_lds(const gpus::Gpu& gpu, LaunchTrace& trace);

}  // namespace hipsight::profile
