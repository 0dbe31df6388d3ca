#pragma once

#include <cstdint>
#include <span>

#include "gpus/gpu.h"
#include "profile/trace.h"

namespace hipsight::profile {

/// How much memory a launch touches, from the lines of the workgroups that were observed: exactly,
/// where all of them were, whole; else each instruction is taken to touch all between the lowest
/// and the highest line that it was seen to touch, and no more than all workgroups would that touch
/// what those observed did, and nothing in common.
Footprint footprint(const gpus::Gpu& gpu, const LaunchTrace& trace);

/// Memory of another GPU.
struct PeerMemory {
  std::uint64_t begin = 0, end = 0;
  int device = 0;
};
/// What a launch does to it, by the workgroups that were observed whole. `memory`: all of it, in
/// order of address.
Peers peers(const gpus::Gpu& gpu, const LaunchTrace& trace, std::span<const PeerMemory> memory);

/// Of `footprint` bytes that are touched in turn again and again, the share that is found in a
/// cache of `capacity` bytes, 16 ways, least recently used: in sets that have to hold 17 lines,
/// none is. (gpu-latency on MI300X falls so, from 4 to 4.25 MiB and from 256 to 272.)
double kept_share(double footprint, double capacity);

}  // namespace hipsight::profile
