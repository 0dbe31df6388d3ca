#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "gpus/gpu.h"
#include "isa/instruction.h"
#include "isa/waits.h"

namespace hipsight::timing {

/// What is known of an instruction's time before it runs. Cycles.
struct Cost {
  isa::Pipe pipe = isa::Pipe::Wait;
  double busy = 0;       ///< for which it keeps its unit
  double latency = 0;    ///< from its issue until its result can be used
  double energy_pj = 0;  ///< at a clock of 1 GHz
  double pause = 0;      ///< before its wave's next instruction: s_nop, s_sleep
  bool stores = false, atomic = false, barrier = false, moves = false;
  std::optional<unsigned> priority;  ///< of its wave from now on: 0 to 3
  isa::Wait wait;
  struct Registers {
    std::uint16_t first = 0, count = 0;  ///< VGPRs; AGPR 0 is 512
    bool overlaps(const Registers& other) const {
      return first < other.first + other.count && other.first < first + count;
    }
    bool operator==(const Registers&) const = default;
  };
  Registers result;
  std::array<Registers, 3> sources;
};

/// Several compute units as one, which a workgroup takes together (a WGP): their SIMDs, and what
/// they do in a cycle.
gpus::Gpu joined(gpus::Gpu gpu, std::uint32_t units);

/// `lanes`: of the wave.
Cost cost_of(const gpus::Gpu& gpu, const isa::Instruction& instruction, unsigned lanes);

}  // namespace hipsight::timing
