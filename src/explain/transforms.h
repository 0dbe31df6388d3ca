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
constexpr std::string_view bank_conflicts = "lds-bank-conflicts",
                           uncoalesced = "uncoalesced-access", occupancy = "occupancy",
                           small_grid = "small-grid", tail = "tail", spills = "register-spills",
                           launch_overhead = "launch-overhead";

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

// On a trace that went through simulate_caches:

/// No two lanes that LDS serves at a time want different dwords of a bank.
void without_bank_conflicts(profile::LaunchTrace& trace);

/// Lanes of a wave ask for neighbours: a request touches as few lines as its bytes fill. A
/// workgroup touches as many different ones as before, or what all its bytes fill, if that is less;
/// the others it finds again, where it did before. Atomics stay as they are.
void made_contiguous(profile::LaunchTrace& trace);

/// Nothing goes to scratch memory.
void without_scratch(profile::LaunchTrace& trace);

/// Each workgroup's work is done by so many: a part does the begin and the end of what a wave does,
/// and a share of what lies between. False: waves do too little for that.
bool split(profile::LaunchTrace& trace, engine::Result& result, unsigned parts);

/// Fewer VGPRs or less LDS, by the least that lets another workgroup in. None: something else
/// limits.
std::optional<timing::Resources> for_more_waves(const gpus::Gpu& gpu,
                                                const timing::Resources& resources);

}  // namespace hipsight::explain
