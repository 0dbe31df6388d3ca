#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/engine.h"
#include "explain/changed.h"
#include "profile/trace.h"
#include "timing/occupancy.h"

/// What a launch would have done, had its kernel been written in another way, or had the GPU been
/// another one. What a change is worth, the timing model then says. Advice and what-ifs both come
/// from these.
namespace hipsight::explain {

/// Names of transforms. Those of advice are the defects that they take away.
constexpr std::string_view bank_conflicts = "lds-bank-conflicts", contended = "contended-atomics",
                           uncoalesced = "uncoalesced-access", occupancy = "occupancy",
                           small_grid = "small-grid", tail = "tail", spills = "register-spills",
                           launch_overhead = "launch-overhead", narrow = "narrow-access",
                           divergence = "divergence", late_loads = "late-loads",
                           strong_waits = "strong-waits", unpacked = "unpacked-math",
                           dependent = "dependent-results", short_loop = "short-loop",
                           scratch_arrays = "scratch-arrays";

/// A change by its name.
struct Transform {
  std::string_view id;
  std::string_view words;            ///< what is different
  std::string_view takes;            ///< what its value is, "GHZ"; empty: it takes none
  std::optional<double> usual = {};  ///< its value if none is given; none: one must be given
  /// Makes the change. Says why the launch cannot be so; empty: it can.
  std::string (*apply)(Changed& launch, double value) = nullptr;
  bool other_caches = false;  ///< it needs a trace with its addresses

  bool takes_value() const { return !takes.empty(); }
};
/// All of them, in the order in which several are applied: GPUs, then what kernels take and do.
std::span<const Transform> transforms();
/// The one of that name, or null.
const Transform* transform(std::string_view id);

/// Fewer VGPRs or less LDS, by the least that lets another workgroup in. None: something else
/// limits.
std::optional<timing::Resources> for_more_waves(const gpus::Gpu& gpu,
                                                const timing::Resources& resources);

}  // namespace hipsight::explain
