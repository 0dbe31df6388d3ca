#pragma once

#include <cstdint>

#include "gpus/gpu.h"
#include "hipsight/values.h"

namespace hipsight::timing {

/// How long RCCL would take (docs/collectives.md) for an all-reduce of `bytes` in each rank, over
/// GPUs of a node that all have a link to each other.
/// @throws Exception where the GPU's file has no links, or too few for so many ranks; ranks
/// below 2.
CollectiveTime all_reduce_time(const gpus::Gpu& gpu, unsigned ranks, std::uint64_t bytes);

}  // namespace hipsight::timing
