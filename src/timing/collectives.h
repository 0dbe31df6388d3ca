#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gpus/gpu.h"
#include "hipsight/values.h"

namespace hipsight::timing {

/// How long RCCL would take (docs/collectives.md), over GPUs that all have a link to each other in
/// their node.
/// @throws Exception where the GPU's file has no links, or too few for so many ranks of a node;
/// ranks below 2, or that do not fill the nodes; several nodes without a network.
CollectiveTime collective_time(const gpus::Gpu& gpu, const Collective& operation);

/// An all-reduce of `bytes` in each rank, in one node.
CollectiveTime all_reduce_time(const gpus::Gpu& gpu, unsigned ranks, std::uint64_t bytes);

/// As RCCL's tests call them: "all-reduce", ... in the order of Collective::Kind.
std::span<const std::string_view> collective_names();

}  // namespace hipsight::timing
