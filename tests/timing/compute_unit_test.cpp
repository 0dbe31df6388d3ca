// A compute unit on programs whose time one can tell by hand.
#include "timing/compute_unit.h"

#include <gtest/gtest.h>

#include "timing/costs.h"

namespace hipsight::timing {
namespace {

class ComputeUnitTest : public testing::Test {
 protected:
  /// Adds an instruction to the code, which is one region.
  isa::Instruction& add(const char* name, isa::Format format) {
    isa::Instruction& in = code.emplace_back();
    in.row = &isa::row_of(name);
    in.format = format;
    in.gfx = isa::Gfx::Gfx942;
    in.address = code.size() * 4;
    return in;
  }
  void add_vector(unsigned count) {
    for (unsigned i = 0; i < count; ++i) add("V_ADD_F32", isa::Format::Vop2);
  }
  void add_load() { loads.push_back(code.size()), add("GLOBAL_LOAD_DWORD", isa::Format::Global); }
  void add_wait() {
    add("S_WAITCNT", isa::Format::Sopp).imm = {isa::Field::Counters, 0x0f70};
  }  // vmcnt(0)

  /// Waves of a workgroup that each run the code once. `lines`: of each load, none of them in
  /// caches.
  void group(unsigned waves, std::uint32_t lines = 4) {
    profile::GroupTrace& trace = traces.emplace_back(gpu, traces.size());
    for (unsigned w = 0; w < waves; ++w) {
      profile::WaveTrace& wave = trace.waves.emplace_back();
      wave.path = {0};
      for (const std::size_t at : loads)
        wave.requests.push_back({.instruction = &code[at],
                                 .count = lines,
                                 .first_touches = static_cast<std::uint16_t>(lines)});
    }
  }
  std::vector<const profile::GroupTrace*> pointers() const {
    std::vector<const profile::GroupTrace*> all;
    for (const profile::GroupTrace& trace : traces) all.push_back(&trace);
    return all;
  }
  UnitRun run(std::uint64_t count = 1, unsigned resident = 1) {
    const std::vector<engine::RegionOfCode> regions{
        {code.data(), static_cast<std::uint32_t>(code.size())}};
    return run_compute_unit(gpu, rates, {pointers(), regions, sharing, 64}, count, resident);
  }
  static double stall(const UnitRun& run, Stall why) {
    return run.stalls[static_cast<std::size_t>(why)];
  }
  ComputeUnitTest() { code.reserve(4096); }

  const gpus::Gpu gpu =
      gpus::find("mi300x");  // four SIMDs, an instruction of a wave every 4 cycles
  /// Of a line whose page is known.
  const double memory = *gpu.dram_latency - 50 * gpu.clock_ghz;
  Rates rates{.l2_bytes = 64, .mall_bytes = 32, .memory_bytes = 16, .clock_ghz = gpu.clock_ghz};
  std::vector<isa::Instruction> code;
  std::vector<std::size_t> loads;
  std::vector<profile::GroupTrace> traces;
  std::unordered_map<const isa::Instruction*, profile::Sharing> sharing;
};

TEST_F(ComputeUnitTest, AWaveIssuesEveryFourCycles) {
  add_vector(100);
  group(1);
  EXPECT_EQ(run().cycles, 400);
  EXPECT_EQ(run().busy.vector, 400);
}

TEST_F(ComputeUnitTest, WavesOfOtherSimdsDoNotDisturb) {
  add_vector(100);
  group(4);
  EXPECT_EQ(run().cycles, 400);
}

TEST_F(ComputeUnitTest, WavesOfOneSimdShareItsVectorUnit) {
  add_vector(100);
  group(8);
  EXPECT_NEAR(run().cycles, 800, 8);
  EXPECT_NEAR(stall(run(), Stall::Vector), 4 * 400, 64);  // the older wave goes first
}

/// s_setprio: the younger workgroup's waves go first, and are done when the older one's have yet to
/// begin.
TEST_F(ComputeUnitTest, PriorityGoesBeforeAge) {
  add("S_SETPRIO", isa::Format::Sopp);
  add_vector(200);
  const std::vector<engine::RegionOfCode> regions{{&code[0], 1}, {&code[1], 200}, {&code[1], 100}};
  group(4);
  group(4);
  for (profile::WaveTrace& wave : traces[0].waves) wave.path = {1};
  for (profile::WaveTrace& wave : traces[1].waves) wave.path = {0, 2};
  for (const auto& [priority, first_end] : {std::pair{0, 800}, {3, 404}}) {
    code[0].imm = {isa::Field::Number, priority};
    const UnitRun unit = run_compute_unit(gpu, rates, {pointers(), regions, sharing, 64}, 2, 2);
    ASSERT_EQ(unit.ends.size(), 2u);
    EXPECT_NEAR(unit.ends[0], first_end, 16) << priority;
    EXPECT_NEAR(unit.ends[1], 1200, 16) << priority;
  }
}

TEST_F(ComputeUnitTest, AWaitLastsAsLongAsMemoryTakes) {
  add_load();
  add_wait();
  group(1);
  // Issue; 512 bytes at 16 a cycle; latency of memory.
  const double expected = 512.0 / 16 + memory;
  EXPECT_NEAR(run().cycles, expected, 16);
  EXPECT_NEAR(stall(run(), Stall::Load), expected, 16);
}

TEST_F(ComputeUnitTest, WaitsNameTheirInstructions) {
  add_load();
  add_vector(3);
  add_load();
  add_wait();
  group(2);
  const UnitRun unit = run();
  ASSERT_FALSE(unit.waits.empty());
  EXPECT_EQ(unit.waits[0].at, &code[5]);
  EXPECT_EQ(unit.waits[0].of, &code[4]);
  EXPECT_EQ(unit.waits[0].why, Stall::Load);
  double all = 0, stalls = 0;
  for (const Waited& wait : unit.waits) all += wait.cycles;
  for (const double cycles : unit.stalls) stalls += cycles;
  EXPECT_NEAR(all, stalls, 1e-6 * stalls);
}

TEST_F(ComputeUnitTest, LoadsOverlap) {
  for (int i = 0; i < 4; ++i) add_load();
  add_wait();
  group(1);
  EXPECT_NEAR(run().cycles, 4 * 512.0 / 16 + memory, 24);
}

/// A wave gives up its place when its stores have come to the L2.
TEST_F(ComputeUnitTest, StoresAreWaitedForAtTheEnd) {
  loads.push_back(code.size());
  add("GLOBAL_STORE_DWORD", isa::Format::Global);
  group(1);
  EXPECT_NEAR(run().cycles, 2.8 * 4 * 64 / 64 + 1.75 * *gpu.l2_latency, 32);
  EXPECT_NEAR(stall(run(), Stall::Store), run().cycles, 8);
}

TEST_F(ComputeUnitTest, BandwidthBoundsManyWorkgroups) {
  add_load();
  add_wait();
  group(4);
  const UnitRun r = run(200, 8);
  const double bytes = 200.0 * 4 * 512;
  EXPECT_NEAR(r.cycles, bytes / 16, 0.1 * bytes / 16);
  EXPECT_NEAR(r.busy.memory, bytes / 16, 1);
}

/// One workgroup at a time: nothing hides the latency.
TEST_F(ComputeUnitTest, WorkgroupsTakeTurns) {
  add_load();
  add_wait();
  group(1);
  EXPECT_NEAR(run(10, 1).cycles, 10 * run(1, 1).cycles, 40);
  EXPECT_LT(run(10, 10).cycles, 2 * run(1, 1).cycles);
}

TEST_F(ComputeUnitTest, AllWaitForTheLastAtABarrier) {
  add_load();
  add_wait();
  add("S_BARRIER", isa::Format::Sopp);
  group(2);
  traces[0].waves[1].requests.clear();  // its lanes were off
  const UnitRun r = run();
  EXPECT_NEAR(r.cycles, 512.0 / 16 + memory, 24);
  EXPECT_NEAR(stall(r, Stall::Barrier), 512.0 / 16 + memory, 40);
}

TEST_F(ComputeUnitTest, WhatLiesInTheMallComesSooner) {
  add_load();
  add_wait();
  group(1);
  rates.in_mall = 1;
  EXPECT_NEAR(run().cycles, 512.0 / 32 + *gpu.mall_latency, 16);
  EXPECT_EQ(run().busy.memory, 0);
}

/// Memory lasts as long in nanoseconds as ever.
TEST_F(ComputeUnitTest, MemoryIsNotSlowerAtALowerClock) {
  add_load();
  add_wait();
  group(1);
  rates.clock_ghz = gpu.clock_ghz / 2;
  EXPECT_NEAR(run().cycles, 512.0 / 16 + memory / 2, 16);
}

TEST_F(ComputeUnitTest, MemoryIsQuickerForFew) {
  add_load();
  add_wait();
  group(1);
  rates.active = 0.5;
  EXPECT_NEAR(run().cycles, 512.0 / 16 + memory * (1 - 0.3 * 0.75 / 4), 16);
}

/// What the GPU's file has: latencies of loads that depend on each other, with their waits.
TEST_F(ComputeUnitTest, ALoneLineTakesTheLatencyOfTheFile) {
  for (int i = 0; i < 10; ++i) add_load(), add_wait();
  rates.active = 0;
  group(1, 1);
  const double mall = *gpu.mall_latency, l2 = *gpu.l2_latency;
  EXPECT_NEAR(run().cycles, 10 * memory, 0.02 * 10 * memory);
  rates.in_mall = 1;
  EXPECT_NEAR(run().cycles, 10 * mall, 0.02 * 10 * mall);
  rates.in_l2 = 1;
  EXPECT_NEAR(run().cycles, 10 * l2, 0.02 * 10 * l2);
  for (profile::Request& request : traces[0].waves[0].requests) request.pages = 1;
  EXPECT_NEAR(run().cycles, 10 * (l2 + 50 * gpu.clock_ghz), 0.02 * 10 * l2);
  for (profile::Request& request : traces[0].waves[0].requests) request.from_l1 = 1;
  EXPECT_NEAR(run().cycles, 10 * *gpu.l1_latency, 0.02 * 10 * *gpu.l1_latency);
}

/// What the L2 has lost of a workgroup's own lines is in the MALL, if that is large enough.
TEST_F(ComputeUnitTest, LostLinesComeFromMallOrMemory) {
  add_load();
  add_wait();
  group(1);
  traces[0].waves[0].requests[0].first_touches = 0;
  EXPECT_NEAR(run().cycles, 512.0 / 32 + *gpu.mall_latency, 16);
  rates.kept_by_mall = 0;
  EXPECT_NEAR(run().cycles, 512.0 / 16 + memory, 16);
}

/// Workgroups begin one after the other, waves too.
TEST_F(ComputeUnitTest, BeginsTakeTheirTime) {
  add_vector(1);
  group(4);
  rates.wave_begins = 50;
  EXPECT_NEAR(run(100, 8).cycles, 100 * 4 * 50, 300);
  rates.group_begins = 300;
  EXPECT_NEAR(run(100, 8).cycles, 100 * 300, 400);
}

/// Lines that a neighbour has asked for are waited for as long, but come once.
TEST_F(ComputeUnitTest, LinesThatArriveCostNoBandwidth) {
  add_load();
  add_wait();
  group(1);
  sharing[&code[0]] = {.arriving = 0.75};
  const UnitRun r = run();
  EXPECT_NEAR(r.cycles, 128.0 / 16 + memory, 16);
  EXPECT_EQ(r.busy.memory, 128.0 / 16);
  sharing[&code[0]] = {.l2 = 1};
  EXPECT_NEAR(run().cycles, 512.0 / 64 + *gpu.l2_latency, 24);
}

/// A quarter of a line from memory at each load: each fourth load waits for it.
TEST_F(ComputeUnitTest, SharesOfLinesAddUp) {
  for (int i = 0; i < 4; ++i) add_load(), add_wait();
  loads.resize(1);
  for (int i = 1; i < 4; ++i) loads.push_back(0);
  group(1, 1);
  sharing[&code[0]] = {.l2 = 0.75};
  traces[0].waves[0].path = {0, 0, 0, 0};
  for (std::uint32_t i = 0; i < 4; ++i) traces[0].waves[0].requests[i].step = i;
  code.resize(2);
  const double expected = 3 * *gpu.l2_latency + memory;
  EXPECT_NEAR(run().cycles, expected, 300);  // and branches back
}

TEST_F(ComputeUnitTest, AtomicsTakeTheirTimeFarAway) {
  loads.push_back(code.size());
  add("GLOBAL_ATOMIC_ADD_F32", isa::Format::Global);
  group(1);
  EXPECT_NEAR(run().cycles, 1.5 * memory, 24);
}

/// Stores need not be in memory before the next workgroup begins, but in the end.
TEST_F(ComputeUnitTest, StoresAreWrittenBackMeanwhile) {
  loads.push_back(code.size());
  add("GLOBAL_STORE_DWORD", isa::Format::Global);
  group(4, 64);
  const double bytes = 4 * 64 * 64;
  rates.memory_bytes = 8;
  const UnitRun r = run(2, 1);
  EXPECT_NEAR(r.ends[0], 2.8 * bytes / 64 + 1.75 * *gpu.l2_latency, 40);
  EXPECT_GT(r.cycles, r.ends[1]);
  EXPECT_EQ(r.busy.memory, 2 * bytes / 8);
}

/// A matrix result that is added to goes on at once; to be read it takes four passes longer.
TEST_F(ComputeUnitTest, SumsGoOnInTheMatrixUnit) {
  for (int i = 0; i < 2; ++i) {
    isa::Instruction& in = add("V_MFMA_F32_32X32X8F16", isa::Format::Mai);
    in.dst = {.where = isa::Where::Vgpr, .index = 16};
    in.src[2] = in.dst;
    in.src[0] = {.where = isa::Where::Vgpr, .index = 0};
    in.src[1] = {.where = isa::Where::Vgpr, .index = 2};
  }
  group(1);
  EXPECT_EQ(run().cycles, 32 + 4);
  code[1].src[1].index = 16;  // reads the sum
  EXPECT_EQ(run().cycles, 32 + 16 + 4);
}

/// 16 x 16 x 16 multiplications and additions at 512 operations a cycle of a compute unit of two
/// SIMDs.
TEST(Costs, AMatrixInstructionTakesAsLongInAWorkgroupProcessor) {
  isa::Instruction in;
  in.row = &isa::row_of("V_WMMA_F32_16X16X16_F16");
  in.gfx = isa::Gfx::Gfx11;
  const gpus::Gpu gpu = gpus::find("rx7900xtx");
  EXPECT_EQ(cost_of(gpu, in, 32).busy, 32);
  EXPECT_EQ(cost_of(joined(gpu, 2), in, 32).busy, 32);
  EXPECT_EQ(joined(gpu, 2).simds_per_cu, 4u);
}

/// Scalar loads that pass the caches wait for what other compute units wrote.
TEST_F(ComputeUnitTest, CoherentScalarLoadsComeFromFarAway) {
  add("S_LOAD_DWORDX2", isa::Format::Smem);
  add("S_WAITCNT", isa::Format::Sopp).imm = {isa::Field::Counters, 0xc07f};  // lgkmcnt(0)
  group(1);
  traces[0].waves[0].requests.push_back(
      {.instruction = &code[0], .count = 1, .space = engine::Access::Space::Scalar});
  EXPECT_NEAR(run().cycles, 60, 8);
  code[0].cache = 1;
  EXPECT_NEAR(run().cycles, 2.25 * memory, 24);
  // Its counter is the LDS's, too: what is waited for is said nevertheless.
  EXPECT_NEAR(stall(run(), Stall::Scalar), 2.25 * memory, 24);
  EXPECT_EQ(stall(run(), Stall::Lds), 0);
}

TEST_F(ComputeUnitTest, TheSameTwice) {
  for (int i = 0; i < 8; ++i) add_load(), add_vector(5);
  add_wait();
  group(7);
  group(5);
  EXPECT_EQ(run(33, 3).cycles, run(33, 3).cycles);
  EXPECT_EQ(run(33, 3).ends, run(33, 3).ends);
}

}  // namespace
}  // namespace hipsight::timing
