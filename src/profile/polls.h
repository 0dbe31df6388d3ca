#pragma once

#include "engine/engine.h"
#include "profile/trace.h"

namespace hipsight::profile {

/// Forgets how often waves asked in vain for what other workgroups hand to them: past the caches,
/// for what they had asked before, and nothing else in between. How often they did was the
/// emulator's doing. Before simulate. Gives the counts of the launch without it: of code
/// that polls, as often as the observed workgroups ran it otherwise.
engine::Result forget_polls(LaunchTrace& trace, const engine::Result& result);

}  // namespace hipsight::profile
