#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/engine.h"
#include "gpus/gpu.h"
#include "profile/trace.h"
#include "timing/memory_path.h"

namespace hipsight::timing {

/// What a wave waited for before it issued.
enum class Stall : std::uint8_t {
  Load,  ///< vector memory, by a wait counter
  Store,
  Lds,
  Scalar,  ///< scalar memory
  Barrier,
  Vector,  ///< the SIMD's vector unit
  Matrix,  ///< its matrix unit
  ScalarUnit,
  LdsPort,  ///< the compute unit's LDS
  Memory,   ///< its address and L1 pipe
  Result,   ///< a vector result (RDNA)
  Issue,    ///< its own last instruction, a branch taken, s_nop
};
constexpr std::size_t kStalls = static_cast<std::size_t>(Stall::Issue) + 1;
std::string_view text(Stall stall);

/// Units that work for a compute unit, for as long as they are busy.
struct Busy {
  double vector = 0, matrix = 0, scalar = 0;  ///< summed over SIMDs
  double lds = 0, l1 = 0;
  double l2 = 0, mall = 0, memory = 0;  ///< of this compute unit's share of them
};

/// Where waves waited.
struct Waited {
  const isa::Instruction* at = nullptr;  ///< that could not be issued
  const isa::Instruction* of = nullptr;  ///< whose access or result it waited for; null: a unit
  Stall why = Stall::Issue;
  double cycles = 0;  ///< summed over waves
};

/// How long waves took to issue an instruction, waiting left out.
struct Issued {
  const isa::Instruction* instruction = nullptr;
  double cycles = 0;  ///< summed over waves
};

/// How long one compute unit takes for workgroups, and what its waves waited for. Cycles.
struct UnitRun {
  double cycles = 0;
  std::vector<double> ends;  ///< of each workgroup, in the order in which they end
  Busy busy;
  std::array<double, kStalls> stalls{};  ///< summed over waves
  std::vector<Waited> waits;             ///< the same by instruction, longest first
  std::vector<Issued> issued;            ///< in order of their addresses
  std::uint64_t instructions = 0;
  double energy_pj = 0;    ///< of them, at a clock of 1 GHz
  double handed_over = 0;  ///< when others have what they wait for; 0: they do not
};

/// How the code might be written instead: the same work, with one part of it at its best.
struct Rewrite {
  using Instructions = std::unordered_set<const isa::Instruction*>;
  /// Waves wait for what the next instruction uses, not for more. Before a barrier they still wait
  /// for stores, and for copies to LDS.
  bool exact_waits = false;
  std::shared_ptr<const Instructions> one_trip_earlier;  ///< loads of loops that are issued so
  bool results_at_once = false;                 ///< enough lies between a result and its use
  unsigned unrolled = 1;                        ///< trips of a loop to a branch back
  std::shared_ptr<const Instructions> without;  ///< that are not there
};

/// What workgroups did.
struct Work {
  std::vector<const profile::GroupTrace*> groups;
  const std::vector<engine::RegionOfCode>& regions;
  const MemoryPath::Sharing& sharing;
  unsigned wave_lanes;
  double handed_over = 0;  ///< when what they wait for comes from workgroups elsewhere; cycles
  Rewrite rewrite = {};
};

/// Runs `count` workgroups, `resident` at a time, that do in turn what those of `work` did:
/// instruction by instruction, in order within a wave. docs/timing.md says what is modelled.
UnitRun run_compute_unit(const gpus::Gpu& gpu, const Rates& rates, const Work& work,
                         std::uint64_t count, unsigned resident);

}  // namespace hipsight::timing
