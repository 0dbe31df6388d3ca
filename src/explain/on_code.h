#pragma once

#include "engine/engine.h"
#include "profile/trace.h"
#include "timing/compute_unit.h"

/// Which instructions of a kernel could be written in another way.
namespace hipsight::explain {

/// Instructions that another one close before them could do, too: packed arithmetic of 32-bit
/// floats (CDNA), or two instructions at once (RDNA, waves of 32). Where values lie in registers is
/// left out.
timing::Rewrite::Instructions packable(const engine::Result& result, unsigned wave_lanes);

/// Loads from memory to registers that waves repeat, and whose addresses do not follow from what
/// the same load brought the time before.
timing::Rewrite::Instructions may_go_earlier(const profile::LaunchTrace& trace,
                                             const engine::Result& result, unsigned wave_lanes);

}  // namespace hipsight::explain
