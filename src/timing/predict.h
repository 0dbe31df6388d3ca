#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hipsight/values.h"
#include "timing/compute_unit.h"
#include "timing/occupancy.h"

namespace hipsight::timing {

using hipsight::Caches;

/// Of predictions that were compared with measurements: how far off they were. Percent of the
/// measured times.
struct ModelError {
  double median = 0, p90 = 0;  ///< absolute
  unsigned points = 0;         ///< on which nothing of the model was fitted
};

/// What keeps a launch from being quicker.
struct Bound {
  using Kind = hipsight::Bound::Kind;
  Kind kind = Kind::Launch;
  std::string of;                ///< the unit; or what waves wait for; empty: nothing
  std::uint64_t workgroups = 0;  ///< of Grid
  double units = 0;              ///< of Grid: compute units, or WGPs
  bool wgps = false;
  double idle = 0;  ///< of Tail: share of the compute units' time
};
/// In words: "memory", "grid: 100 workgroups for 304 compute units".
std::string text(const Bound& bound);

/// How long a launch takes. docs/timing.md.
struct Prediction {
  double seconds = 0;         ///< with the launch itself
  double launch_seconds = 0;  ///< of these
  double cycles = 0;          ///< of the compute units
  double clock_ghz = 0;       ///< that they were taken to run at
  /// The busiest units, busiest first: the share of `cycles` for which each works, 0 to 1.
  struct Unit {
    std::string name;
    double busy = 0;
  };
  std::vector<Unit> units;
  /// What waves waited for: shares of all waves' time, largest first.
  struct Cause {
    std::string name;
    double share = 0;
  };
  std::vector<Cause> stalls;
  /// Where they waited most, longest first: at most `longest_waits`.
  struct Wait {
    const isa::Instruction* at;  ///< lives as long as the module
    const isa::Instruction* of;  ///< whose access or result is waited for; null: a unit
    std::string_view cause;      ///< as of `stalls`
    double share;                ///< of all waves' waiting
  };
  static constexpr std::size_t longest_waits = 16;
  std::vector<Wait> waits;
  /// Where all waves' time goes: what was waited for by whose access or result it was, or by who
  /// could not issue; and what it took to issue. Largest first.
  struct Hot {
    const isa::Instruction* at;
    std::string_view cause;  ///< as of `stalls`; empty: to issue
    double share;
  };
  std::vector<Hot> hot;
  /// Had registers and LDS room for as many waves as a SIMD takes; only looked at where no unit is
  /// busy and that is more than now.
  std::optional<double> full_occupancy_seconds;
  Bound bound;
  std::uint64_t workgroups_per_cu = 0, simulated = 0;
  std::string family;                 ///< of kernels, see family.h
  const ModelError* error = nullptr;  ///< of the family on this GPU; null: UNVALIDATED
  /// Between which nine of ten measured times of the family lie; infinite where `error` says so.
  std::array<double, 2> seconds_between() const;
};

/// What a prediction takes for granted, and how much work it is.
struct Assumptions {
  Caches caches = Caches::Cold;
  Scales scales = {};      ///< what if the model had other constants
  Rewrite rewrite = {};    ///< what if the code were another
  bool more_waves = true;  ///< look at what they would gain, which may take as long again
  /// Wave-instructions of a compute unit that are simulated; workgroups beyond these, if three
  /// rounds are, are taken to go on like them.
  std::uint64_t instructions = 20'000'000;
};

/// `trace`: of the launch, through simulate.
Prediction predict(const gpus::Gpu& gpu, const profile::LaunchTrace& trace,
                   const engine::Result& result, const Occupancy& occupancy,
                   std::uint32_t wavefront_size, const Assumptions& assumptions = {});

}  // namespace hipsight::timing
