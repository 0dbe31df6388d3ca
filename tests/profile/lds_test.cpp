// Bank conflicts against counters of the hardware: conflicts of a read at a stride, as
// nod-ai/amd-shark-ai measured them (empirical-lds/cdna3info.md of its docs; 64 reads each).
#include "profile/lds.h"

#include <gtest/gtest.h>

namespace hipsight::profile {
namespace {

LdsCost strided(const char* gpu, bool store, unsigned bytes, unsigned stride, unsigned lanes = 64) {
  std::uint64_t at[64];
  for (unsigned lane = 0; lane < 64; ++lane) at[lane] = std::uint64_t{lane} * stride;
  return LdsPort(gpus::find(gpu), store, false, bytes).cost(~0ull >> (64 - lanes), at);
}

struct Measured {
  unsigned bytes, stride, conflicts_of_64_reads;
};
constexpr Measured mi300x[]{
    {4, 4, 0},      {4, 8, 128}, {4, 16, 384},  {4, 32, 896},   {4, 64, 1920},   {4, 128, 3968},
    {4, 256, 3968}, {8, 8, 0},   {8, 16, 256},  {8, 32, 768},   {8, 64, 1792},   {8, 128, 3840},
    {8, 512, 3840}, {16, 16, 0}, {16, 32, 512}, {16, 64, 1536}, {16, 128, 3584}, {16, 512, 3584},
};

TEST(Lds, ConflictsAreThoseOfTheCounters) {
  for (const Measured& m : mi300x) {
    const LdsCost cost = strided("mi300x", false, m.bytes, m.stride);
    EXPECT_EQ(64 * (cost.cycles - cost.least), m.conflicts_of_64_reads)
        << m.bytes << " bytes at a stride of " << m.stride;
    EXPECT_EQ(cost.least, m.bytes / 2) << "two phases of b32, four of b64, eight of b128";
  }
}

TEST(Lds, PhasesAreThoseOfTheGpu) {
  EXPECT_EQ(strided("mi355x", false, 4, 4).cycles, 1u);
  EXPECT_EQ(strided("mi355x", false, 8, 8).cycles, 2u);
  EXPECT_EQ(strided("mi355x", false, 16, 16).cycles, 4u);
  EXPECT_EQ(strided("mi355x", true, 8, 8).cycles, 4u);  // 32 banks, measured
  EXPECT_EQ(strided("rx7900xtx", false, 4, 4, 32).cycles, 1u);
  EXPECT_EQ(strided("rx7900xtx", false, 16, 16, 32).cycles, 4u);
  EXPECT_EQ(strided("rx7900xtx", false, 4, 4).cycles, 2u);  // wave64
  EXPECT_EQ(strided("mi300x", true, 4, 4).cycles, 2u);      // not measured: neighbours
}

/// Lanes 0 and 4 read the same banks: in one phase of gfx1201, in two of gfx1100.
TEST(Lds, OnlyLanesOfOnePhaseCollide) {
  std::uint64_t at[64] = {};
  at[4] = 1024;
  const std::uint64_t both = 1 | 1 << 4;
  EXPECT_EQ(LdsPort(gpus::find("rx9070xt"), false, false, 16).cost(both, at).cycles, 2u);
  EXPECT_EQ(LdsPort(gpus::find("rx9070xt"), false, false, 16).cost(both, at).least, 1u);
  EXPECT_EQ(LdsPort(gpus::find("rx7900xtx"), false, false, 16).cost(both, at).cycles, 2u);
  EXPECT_EQ(LdsPort(gpus::find("rx7900xtx"), false, false, 16).cost(both, at).least, 2u);
}

TEST(Lds, OneDwordForAllIsNoConflict) {
  std::uint64_t at[64] = {};
  EXPECT_EQ(LdsPort(gpus::find("mi300x"), false, false, 4).cost(~0ull, at).cycles, 2u);
  // But atomics are done one by one.
  EXPECT_EQ(LdsPort(gpus::find("mi300x"), true, true, 4).cost(~0ull, at).cycles, 64u);
}

}  // namespace
}  // namespace hipsight::profile
