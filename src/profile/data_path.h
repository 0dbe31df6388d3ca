#pragma once

#include <functional>

#include "engine/engine.h"
#include "profile/trace.h"

namespace hipsight::profile {

/// An instruction by which values loaded from some of memory decide where observed waves go, or
/// which addresses they use; null: there is none. Before forget_addresses.
/// `is_there`: whether a line of that memory begins at an address. `lanes` of a wave.
const isa::Instruction* decided_by(const LaunchTrace& trace, const engine::Result& result,
                                   unsigned lanes, unsigned load_line_bytes,
                                   const std::function<bool(std::uintptr_t)>& is_there);

}  // namespace hipsight::profile
