#pragma once

#include <cstdint>
#include <string_view>

#include "gpus/gpu.h"

namespace hipsight::timing {

/// How long an operation of several GPUs would take in RCCL (docs/collectives.md).
struct CollectiveTime {
  double seconds = 0;
  std::string_view protocol;  ///< of RCCL: "LL", "LL128", "Simple"
  std::string_view bound;     ///< "latency", or "links"
  double bus_bytes_per_second =
      0;  ///< as RCCL's tests print it: 2 (ranks - 1) / ranks of size / time
};

/// An all-reduce of `bytes` in each rank, over GPUs of a node that all have a link to each other.
/// @throws Exception where the GPU's file has no links, or too few for so many ranks; ranks
/// below 2.
CollectiveTime all_reduce_time(const gpus::Gpu& gpu, unsigned ranks, std::uint64_t bytes);

}  // namespace hipsight::timing
