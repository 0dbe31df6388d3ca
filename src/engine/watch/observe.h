#pragma once
// How instructions' code tells of what it does (Observers). All of it is for waves that are
// observed.

#include "engine/events.h"
#include "engine/launch/wave.h"
#include "engine/program/op.h"

namespace hipsight::engine {

/// A region that begins.
void observe_region(const Wave& wave, const Op* op);

/// An access that is about to be done: mask, places and bytes are given; what the instruction says
/// is added. Places in scratch are host addresses.
void observe_access(const Wave& wave, const Op* op, Access access);
/// The other half of an access between memory and LDS: lane 0's bytes at `first` in LDS, each
/// lane's `stride` bytes further.
void observe_lds_half(const Wave& wave, const Op* op, unsigned bytes, std::uint64_t mask,
                      std::uint64_t first, unsigned stride);

}  // namespace hipsight::engine
