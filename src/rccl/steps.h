#pragma once
// The kernels that move data, and their launches.

#include "nccl.h"

namespace hipsight::rccl {

constexpr int most_ranks = 16;

/// A buffer of each rank, in its GPU's memory, which the others can reach.
struct Buffers {
  void* of[most_ranks];
};

std::size_t size_of(ncclDataType_t type);

/// A sum of what is multiplied by a factor of each rank first (ncclRedOpCreatePreMulSum).
constexpr ncclRedOp_t scaled_sum = ncclNumOps;

/// to[i] = op over all ranks of from[rank][i], in the order of the ranks; floats of 8 and 16 bits
/// are summed in f32 and rounded once. Elements of `to` may be those of one of `from`, place by
/// place. `factors`: for scaled_sum, where each rank's is, in memory that the GPU reaches.
hipError_t reduce(const Buffers& from, const Buffers& factors, int ranks, void* to,
                  std::size_t count, ncclDataType_t type, ncclRedOp_t op, hipStream_t stream);

/// to + at[rank] gets bytes[rank] bytes of from[rank], of all ranks.
struct Parts {
  std::size_t at[most_ranks], bytes[most_ranks];
};
hipError_t gather(const Buffers& from, int ranks, void* to, const Parts& parts, hipStream_t stream);

}  // namespace hipsight::rccl
