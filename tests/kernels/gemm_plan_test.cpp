// What gemm() chooses, on the host: for GPUs that are not there, and shapes too large to emulate.
#include <gtest/gtest.h>
#include <hip/hip_runtime_api.h>

#include "hipsight/kernels/gemm/plan.h"

namespace hipsight::kernels {
namespace {

const Device devices[] = {{Architecture::cdna2, 104, {}},
                          {Architecture::cdna3, 304, {}},
                          {Architecture::cdna4, 256, {}},
                          {Architecture::rdna3, 48, {}},
                          {Architecture::rdna4, 32, {}}};

auto problem(int m, int n, int k, int batches = 1) {
  static bf16 some;
  return gemm_problem(RowMajor<const bf16>{&some, m, k, k}, ColumnMajor<const bf16>{&some, k, n, k},
                      RowMajor<bf16>{&some, m, n, n}, Identity{}, batches)
      .shape();
}

TEST(GemmPlan, SharesNothingThatFillsTheGpu) {
  for (const Device& device : devices) {
    const GemmPlan plan = quickest_plan(problem(8192, 8192, 8192), device, SIZE_MAX);
    EXPECT_LE(plan.size, TileSize::medium) << facts(device.architecture).name;
    EXPECT_EQ(plan.shares, 0) << facts(device.architecture).name;
  }
}

/// 16 tokens have no tiles for all compute units.
TEST(GemmPlan, SharesWhatDoesNotFillTheGpu) {
  for (const Device& device : devices)
    for (const int batches : {1, 2}) {
      const auto few = problem(16, 128, 8192, batches);
      const GemmPlan plan = quickest_plan(few, device, SIZE_MAX);
      const int tiles = few.tiles(few.tiling(device.architecture, plan.size)) * batches;
      EXPECT_GT(plan.shares, tiles) << facts(device.architecture).name;
      EXPECT_LE(plan.shares, DepthShares::most);
    }
}

/// None without a workspace, and no more than it has room for.
TEST(GemmPlan, KeepsToTheWorkspace) {
  for (const Device& device : devices)
    for (const int m : {1, 16, 100, 2048})
      for (const int n : {64, 1000, 7168})
        for (std::size_t bytes = 0; bytes <= std::size_t{1} << 26; bytes = bytes * 3 + 1) {
          const auto some = problem(m, n, 7168);
          const GemmPlan plan = quickest_plan(some, device, bytes);
          EXPECT_LE(workspace_bytes(some, plan, device.architecture), bytes);
          if (bytes <= DepthShares::flag_bytes) EXPECT_EQ(plan.shares, 0);
        }
}

/// Whatever is chosen has a part of the depth for each share.
TEST(GemmPlan, SharesNoMoreThanThereIs) {
  for (const Device& device : devices)
    for (const int k : {0, 1, 64, 500, 4096}) {
      const auto some = problem(64, 256, k);
      const GemmPlan plan = quickest_plan(some, device, SIZE_MAX);
      const Tiling tiling = some.tiling(device.architecture, plan.size);
      EXPECT_LE(plan.shares, some.tiles(tiling) * some.depth_in_units(tiling)) << k;
    }
}

/// Of the sizes that a call names.
TEST(GemmPlan, KeepsToTheSizes) {
  for (const Device& device : devices)
    for (const int m : {1, 100, 8192})
      for (const std::size_t workspace : {std::size_t{0}, SIZE_MAX}) {
        const auto some = problem(m, 7168, 4096);
        const auto chosen = [&](const TileSizes& sizes) {
          return quickest_plan(some, device, workspace, sizes).size;
        };
        EXPECT_EQ(chosen({.large = true}), TileSize::large);
        EXPECT_EQ(chosen({.medium = true}), TileSize::medium);
        EXPECT_GE(chosen({.small = true, .tiny = true}), TileSize::small);
        EXPECT_LE(chosen({.large = true, .medium = true}), TileSize::medium);
      }
}

}  // namespace
}  // namespace hipsight::kernels
