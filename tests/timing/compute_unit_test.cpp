// A compute unit on programs whose time one can tell by hand.
#include "timing/compute_unit.h"

#include <gtest/gtest.h>

namespace hipsight::timing {
namespace {

class ComputeUnitTest : public testing::Test {
 protected:
  /// Adds an instruction to the code, which is one region.
  isa::Instruction& add(const char* name, isa::Format format) {
    isa::Instruction& in = code.emplace_back();
    in.name = name;
    in.format = format;
    in.gfx = isa::Gfx::Gfx942;
    in.address = code.size() * 4;
    return in;
  }
  void add_vector(unsigned count) {
    for (unsigned i = 0; i < count; ++i) add("V_ADD_F32", isa::Format::Vop2);
  }
  void add_load() { loads.push_back(code.size()), add("GLOBAL_LOAD_DWORD", isa::Format::Global); }
  void add_wait() { add("S_WAITCNT", isa::Format::Sopp).imm = 0x0f70; }  // vmcnt(0)

  /// Waves of a workgroup that each run the code once. `lines`: of each load, none of them in
  /// caches.
  void group(unsigned waves, std::uint32_t lines = 4) {
    profile::GroupTrace& trace = traces.emplace_back(gpu, traces.size());
    for (unsigned w = 0; w < waves; ++w) {
      profile::WaveTrace& wave = trace.waves.emplace_back();
      wave.path = {0};
      for (const std::size_t at : loads)
        wave.requests.push_back({.instruction = &code[at], .count = lines});
    }
  }
  UnitRun run(std::uint64_t count = 1, unsigned resident = 1) {
    return run_compute_unit(gpu, {.l2_bytes = 64, .memory_bytes = 16, .clock_ghz = 2.1}, traces,
                            {{code.data(), static_cast<std::uint32_t>(code.size())}}, 64, count,
                            resident);
  }
  static double stall(const UnitRun& run, Stall why) {
    return run.stalls[static_cast<std::size_t>(why)];
  }
  ComputeUnitTest() { code.reserve(4096); }

  const gpus::Gpu gpu =
      gpus::find("mi300x");  // four SIMDs, an instruction of a wave every 4 cycles
  std::vector<isa::Instruction> code;
  std::vector<std::size_t> loads;
  std::vector<profile::GroupTrace> traces;
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

TEST_F(ComputeUnitTest, AWaitLastsAsLongAsMemoryTakes) {
  add_load();
  add_wait();
  group(1);
  // Issue; 512 bytes at 16 a cycle; latency of memory.
  const double expected = 512.0 / 16 + *gpu.dram_latency;
  EXPECT_NEAR(run().cycles, expected, 16);
  EXPECT_NEAR(stall(run(), Stall::Load), expected, 16);
}

TEST_F(ComputeUnitTest, LoadsOverlap) {
  for (int i = 0; i < 4; ++i) add_load();
  add_wait();
  group(1);
  EXPECT_NEAR(run().cycles, 4 * 512.0 / 16 + *gpu.dram_latency, 24);
}

/// A wave gives up its place when its stores have come to the L2.
TEST_F(ComputeUnitTest, StoresAreWaitedForAtTheEnd) {
  loads.push_back(code.size());
  add("GLOBAL_STORE_DWORD", isa::Format::Global);
  group(1);
  EXPECT_NEAR(run().cycles, 4.0 * 64 / 64 + *gpu.l2_latency, 24);
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
  EXPECT_NEAR(r.cycles, 512.0 / 16 + *gpu.dram_latency, 24);
  EXPECT_NEAR(stall(r, Stall::Barrier), 512.0 / 16 + *gpu.dram_latency, 40);
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
