// Ways of control that compilers do not use, against what the ISA manuals say of each.
#include "kernels.h"

namespace hipsight::engine {
namespace {

constexpr Where mi300x{"mi300x", HIPSIGHT_PATHS_gfx942},
    rx7900xtx{"rx7900xtx", HIPSIGHT_PATHS_gfx1100_wave64};

TEST(Paths, ForksTakeTheFewerLanesFirst) {
  Kernels kernels(mi300x);
  std::uint32_t *in = kernels.array(64), *out = kernels.array(256);
  for (const auto& [outer, inner] :
       {std::pair{20u, 5u}, {40u, 30u}, {64u, 10u}, {0u, 0u}, {64u, 64u}}) {
    in[0] = outer, in[1] = inner;
    kernels.run("forks", 64, {in, out});
    for (std::uint32_t lane = 0; lane < 64; ++lane) {
      const std::uint32_t sum = lane >= outer ? 100 : lane < inner ? 9 : 5;
      EXPECT_EQ(out[lane], 1000 + sum) << lane << " of " << outer << ", " << inner;
    }
    // Of two paths that both have lanes, the shorter one comes first.
    const auto when = [&](std::uint32_t lane) { return out[64 + lane]; };
    if (outer == 20) {
      EXPECT_EQ(when(0), 1u);   // 5 lanes of 20
      EXPECT_EQ(when(10), 2u);  // the other 15
      EXPECT_EQ(when(63), 3u);
    }
    if (outer == 40) {
      EXPECT_EQ(when(63), 1u);  // 24 of 64
      EXPECT_EQ(when(35), 2u);  // 10 of 40
      EXPECT_EQ(when(0), 3u);
    }
  }
}

TEST(Paths, SkippedVectorInstructions) {
  Kernels kernels(mi300x);
  std::uint32_t *in = kernels.array(64), *out = kernels.array(256);
  kernels.run("skips", 64, {in, out});
  for (std::uint32_t lane = 0; lane < 64; ++lane) EXPECT_EQ(out[lane], 7u) << lane;
  EXPECT_EQ(out[64], 9u);
}

TEST(Paths, SemaphoresOfTheGpu) {
  Kernels kernels(mi300x);
  std::uint32_t *in = kernels.array(64), *out = kernels.array(64);
  kernels.run("semaphores", 128, {in, out});
  EXPECT_EQ(std::vector(out, out + 6), (std::vector<std::uint32_t>{42, 43, 42, 43, 44, 44}));
}

TEST(Paths, HalvesOfAWave) {
  Kernels kernels(rx7900xtx);
  std::uint32_t *in = kernels.array(64), *out = kernels.array(256);
  for (const auto& [low, high] : {std::pair{~0u, ~0u}, {0xf0u, 0u}, {0u, 0xf00u}, {0u, 0u}}) {
    in[0] = low, in[1] = high;
    kernels.run("halves", 64, {in, out});
    const std::uint32_t passes = (low != 0) + (high != 0);
    EXPECT_EQ(out[64], passes);
    EXPECT_EQ(out[65], low);
    EXPECT_EQ(out[66], high);
    for (std::uint32_t lane = 0; lane < 64; ++lane) {
      const bool on = (lane < 32 ? low >> lane : high >> (lane - 32)) & 1;
      EXPECT_EQ(out[lane], on ? (lane < 32 ? 1 : passes) : 0) << lane;
    }
  }
}

}  // namespace
}  // namespace hipsight::engine
