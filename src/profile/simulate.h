#pragma once

#include "gpus/gpu.h"
#include "profile/trace.h"

namespace hipsight::profile {

/// What a GPU's LDS and caches make of what a launch did. Another GPU of the target may follow, as
/// long as the trace has its addresses: what an earlier one was found to do is forgotten.
void simulate(const gpus::Gpu& gpu, LaunchTrace& trace);

}  // namespace hipsight::profile
