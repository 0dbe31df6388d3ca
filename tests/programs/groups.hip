// Cooperative groups, built without optimization: each tile of 16 sums its numbers in LDS, and so
// does the workgroup, through the base class of all groups.
#include "check.h"

// Needs what is above.
#include <hip/hip_cooperative_groups.h>

#include <vector>

namespace cg = cooperative_groups;

__device__ int sum(cg::thread_group group, int* cells, int value) {
  const unsigned rank = group.thread_rank();
  for (unsigned half = group.size() / 2; half > 0; half /= 2) {
    cells[rank] = value;
    group.sync();
    if (rank < half) value += cells[rank + half];
    group.sync();
  }
  return value;
}

__global__ void sums(int* of_block, int* of_tile) {
  __shared__ int cells[128];
  const auto block = cg::this_thread_block();
  const cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  const int rank = static_cast<int>(block.thread_rank());
  const int all = sum(block, cells, rank);
  const int part = sum(tile, cells + rank / 16 * 16, rank);
  if (rank == 0) *of_block = all;
  if (tile.thread_rank() == 0) of_tile[rank / 16] = part;
}

int main() {
  int* const out = device_array<int>(1 + 8);
  sums<<<1, 128>>>(out, out + 1);
  std::vector<int> host(1 + 8);
  MUST(hipMemcpy(host.data(), out, host.size() * sizeof(int), hipMemcpyDeviceToHost));
  for (const int value : host) std::printf("%d ", value);
}
