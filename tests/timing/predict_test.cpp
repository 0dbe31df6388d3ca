// What a prediction says bounds a launch, where the answer is plain.
#include "timing/predict.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "profile/polls.h"
#include "profile/simulate.h"
#include "timing/assumed.h"

namespace hipsight::timing {
namespace {

/// Workgroups of one wave that follows addresses for some microseconds.
class BoundTest : public testing::Test {
 protected:
  Prediction predicted(std::uint64_t workgroups, unsigned resident, const Scales& scales = {}) {
    code.clear(), code.reserve(2);
    result = {};
    const auto add = [&](const char* name, isa::Format format) -> isa::Instruction& {
      isa::Instruction& in = code.emplace_back();
      in.row = &isa::row_of(name);
      in.format = format;
      in.gfx = isa::Gfx::Gfx942;
      in.address = code.size() * 4;
      return in;
    };
    add("GLOBAL_LOAD_DWORD", isa::Format::Global);
    add("S_WAITCNT", isa::Format::Sopp).imm = {isa::Field::Counters, 0x0f70};
    result.regions = {{code.data(), 2}};
    result.workgroups = workgroups;
    for (const isa::Instruction& in : code) result.counts.push_back({&in, 30 * workgroups, 0});
    profile::LaunchTrace trace(gpu, workgroups, 1);
    auto* group = trace.begins(0);
    std::array<std::uint64_t, 64> at{};
    for (unsigned turn = 0; turn < 30; ++turn) {
      for (unsigned lane = 0; lane < 64; ++lane) at[lane] = 4096 * turn + lane * 4;
      group->enters(0, 0, ~0ull);
      group->accesses(0, code[0], {engine::Access::Space::Global, 4, 64, ~0ull, at.data()});
    }
    profile::simulate(gpu, trace);
    trace.peers = peers;
    const Occupancy occupancy{
        .waves_per_workgroup = 1, .simds = 4, .workgroups = resident, .max_waves_per_simd = 8};
    return predict(gpu, trace, result, occupancy, 64, {.scales = scales});
  }

  const gpus::Gpu gpu = gpus::find("mi300x");
  profile::Peers peers;
  std::vector<isa::Instruction> code;
  engine::Result result;
};

TEST_F(BoundTest, AGridThatLeavesComputeUnitsOut) {
  EXPECT_EQ(text(predicted(100, 32).bound), "grid: 100 workgroups for 304 compute units");
}

TEST_F(BoundTest, ALastRoundOfFew) {
  EXPECT_EQ(text(predicted(304 + 10, 1).bound),
            "tail: 48 % of the compute units' time is left without work");
}

TEST_F(BoundTest, WavesThatThereIsNoRoomFor) {
  const Prediction few = predicted(304 * 8, 1);
  EXPECT_EQ(text(few.bound), "occupancy: waves wait for loads");
  ASSERT_TRUE(few.full_occupancy_seconds);
  EXPECT_LT(*few.full_occupancy_seconds, few.seconds / 2);
}

TEST_F(BoundTest, WaitingWithAllTheWavesThereAre) {
  const Prediction all = predicted(304 * 8, 32);
  EXPECT_EQ(text(all.bound), "latency: waves wait for loads");
  EXPECT_FALSE(all.full_occupancy_seconds);
}

TEST_F(BoundTest, LinksToOtherGpus) {
  const double alone = predicted(304, 1).seconds;
  const double link = *gpu.peer_gb_per_s_measured * 1e9;  // bytes a second
  peers = {.bytes = 0.001 * 3 * link, .gpus = 3};
  const Prediction linked = predicted(304, 1);
  EXPECT_EQ(text(linked.bound), "links to other GPUs");
  EXPECT_NEAR(linked.seconds, linked.launch_seconds + 0.001, 1e-9);
  EXPECT_EQ(linked.error, nullptr);
  // A GPU has seven links, however many GPUs' memory it reads.
  peers = {.bytes = 0.001 * 7 * link, .gpus = 15};
  EXPECT_NEAR(predicted(304, 1).seconds, linked.seconds, 1e-9);
  // Little over links costs nothing beside the rest.
  peers = {.bytes = 64, .gpus = 1};
  EXPECT_EQ(predicted(304, 1).seconds, alone);
}

/// One load after the other, by few waves: latency is all there is.
TEST_F(BoundTest, LongerLatenciesTakeLonger) {
  const double now = predicted(304, 1).cycles;
  EXPECT_NEAR(predicted(304, 1, {.latencies = 1.2}).cycles, 1.2 * now, 0.05 * now);
  EXPECT_NEAR(predicted(304, 1, {.bandwidths = 1.2}).cycles, now, 0.05 * now);
}

/// Of two workgroups that run at once the first one stores a flag after long work, the second one
/// asks for it, or for another one, at its begin: so many times, so many bytes apart.
double cycles_of_two(std::uint64_t asked, unsigned times = 1, std::uint64_t apart = 0) {
  const gpus::Gpu gpu = gpus::find("mi300x");
  std::vector<isa::Instruction> code(5);
  const auto set = [&](std::size_t i, const char* name, isa::Format format) -> isa::Instruction& {
    code[i].row = &isa::row_of(name);
    code[i].format = format;
    code[i].gfx = isa::Gfx::Gfx942;
    code[i].address = i * 4;
    return code[i];
  };
  set(0, "GLOBAL_LOAD_DWORD", isa::Format::Global);
  set(1, "S_WAITCNT", isa::Format::Sopp).imm = {isa::Field::Counters, 0x0f70};
  set(2, "GLOBAL_STORE_DWORD", isa::Format::Global);
  set(3, "GLOBAL_LOAD_DWORD", isa::Format::Global).cache = 4;  // sc1
  set(4, "S_WAITCNT", isa::Format::Sopp).imm = {isa::Field::Counters, 0x0f70};
  engine::Result result;
  result.regions = {{code.data(), 2}, {code.data() + 2, 1}, {code.data() + 3, 2}};
  result.workgroups = 2;
  constexpr unsigned turns = 30;
  result.counts = {{&code[0], turns, 0},
                   {&code[1], turns, 0},
                   {&code[2], 1, 0},
                   {&code[3], times, 0},
                   {&code[4], times, 0}};
  profile::LaunchTrace trace(gpu, 2, 2);
  constexpr std::uint64_t flag = 1 << 20;
  const auto access = [&](engine::GroupObserver* group, std::uint32_t region, std::uint64_t at) {
    group->enters(0, region, ~0ull);
    group->accesses(0, *result.regions[region].first,
                    {engine::Access::Space::Global, 4, 1, 1, &at});
  };
  auto* first = trace.begins(0);
  for (unsigned turn = 0; turn < turns; ++turn) access(first, 0, 4096 * turn);
  access(first, 1, flag);
  auto* second = trace.begins(1);
  for (unsigned i = 0; i < times; ++i) access(second, 2, asked + i * apart);
  result = profile::forget_polls(trace, result);
  profile::simulate(gpu, trace);
  const Occupancy occupancy{
      .waves_per_workgroup = 1, .simds = 4, .workgroups = 8, .max_waves_per_simd = 8};
  return predict(gpu, trace, result, occupancy, 64).cycles;
}

TEST(Waiting, IsForWhatAnotherWorkgroupHandsOver) {
  const double alone = cycles_of_two((1 << 20) + 4096), waits = cycles_of_two(1 << 20);
  const double load = alone / 30;
  EXPECT_GT(waits, alone + 0.5 * load);  // it asks once more when it is there
  EXPECT_LT(waits, alone + 3 * load);
}

/// How often the emulator happened to ask does not matter; what asks for something else is work.
TEST(Waiting, IsAsLongHoweverOftenItAsks) {
  constexpr std::uint64_t flag = 1 << 20, another = flag + 4096;
  for (const std::uint64_t asked : {flag, another})
    EXPECT_EQ(cycles_of_two(asked, 100), cycles_of_two(asked)) << asked;
  EXPECT_GT(cycles_of_two(another, 100, 4096), 2 * cycles_of_two(another));
}

/// A workgroup that takes a WGP has the bandwidth of two compute units.
TEST(Bandwidth, IsTheWholeMemorysWithWgps) {
  const gpus::Gpu gpu = gpus::find("rx7900xtx");
  std::vector<isa::Instruction> code(2);
  code[0].row = &isa::row_of("GLOBAL_LOAD_DWORD"), code[0].format = isa::Format::Global;
  code[1].row = &isa::row_of("S_WAITCNT"), code[1].format = isa::Format::Sopp;
  code[1].imm = {isa::Field::Counters, 0};  // vmcnt(0), lgkmcnt(0)
  for (isa::Instruction& in : code) in.gfx = isa::Gfx::Gfx11;
  constexpr std::uint64_t workgroups = 48 * 200, turns = 30;
  engine::Result result;
  result.regions = {{code.data(), 2}};
  result.workgroups = workgroups;
  for (const isa::Instruction& in : code) result.counts.push_back({&in, turns * workgroups, 0});
  profile::LaunchTrace trace(gpu, workgroups, 1);
  auto* group = trace.begins(0);
  std::array<std::uint64_t, 64> at{};
  for (unsigned turn = 0; turn < turns; ++turn) {
    for (unsigned lane = 0; lane < 32; ++lane) at[lane] = 4096 * turn + lane * 4;
    group->enters(0, 0, 0xffffffff);
    group->accesses(0, code[0], {engine::Access::Space::Global, 4, 32, 0xffffffff, at.data()});
  }
  profile::simulate(gpu, trace);
  const Occupancy occupancy{
      .waves_per_workgroup = 1, .simds = 4, .workgroups = 32, .max_waves_per_simd = 16};
  const Prediction p = predict(gpu, trace, result, occupancy, 32);
  const double bytes = double(workgroups * turns) * 128;
  EXPECT_NEAR(p.seconds - p.launch_seconds, bytes / (0.8 * gpu.dram_gb_per_s * 1e9),
              0.2 * p.seconds);
  EXPECT_EQ(text(p.bound), "memory");
  const auto scaled = [&](const Scales& scales) {
    return predict(gpu, trace, result, occupancy, 32, {.scales = scales}).cycles;
  };
  EXPECT_NEAR(scaled({.bandwidths = 0.8}), p.cycles / 0.8, 0.05 * p.cycles);
  EXPECT_NEAR(scaled({.latencies = 0.8}), p.cycles, 0.05 * p.cycles);
}

/// Of stores by so many workgroups, of eight waves each.
Prediction stores_of(std::uint64_t workgroups) {
  const gpus::Gpu gpu = gpus::find("mi300x");
  std::vector<isa::Instruction> code(1);
  code[0].row = &isa::row_of("GLOBAL_STORE_DWORDX4");
  code[0].format = isa::Format::Global;
  code[0].gfx = isa::Gfx::Gfx942;
  constexpr unsigned waves = 8, turns = 200;
  engine::Result result;
  result.regions = {{code.data(), 1}};
  result.workgroups = workgroups;
  result.counts.push_back({code.data(), workgroups * waves * turns, 0});
  profile::LaunchTrace trace(gpu, workgroups, 2);
  for (std::uint64_t g = 0; g < workgroups; ++g)
    if (auto* group = trace.begins(g))
      for (unsigned turn = 0; turn < turns; ++turn)
        for (unsigned wave = 0; wave < waves; ++wave) {
          std::array<std::uint64_t, 64> at{};
          for (unsigned lane = 0; lane < 64; ++lane)
            at[lane] = (g * waves + wave) * 1024 + lane * 16;  // the same place again
          group->enters(wave, 0, ~0ull);
          group->accesses(wave, code[0], {engine::Access::Space::Global, 16, 64, ~0ull, at.data()});
        }
  profile::simulate(gpu, trace);
  const Occupancy occupancy{
      .waves_per_workgroup = waves, .simds = 4, .workgroups = 4, .max_waves_per_simd = 8};
  return predict(gpu, trace, result, occupancy, 64);
}

/// Two compute units cannot fill the L2 of 304: what is full is their way there.
TEST(Path, ToTheL2IsWhatFewComputeUnitsFill) {
  const auto busy = [](const Prediction& p, std::string_view name) {
    const auto unit = std::ranges::find(p.units, name, &Prediction::Unit::name);
    return unit == p.units.end() ? -1 : unit->busy;
  };
  const Prediction few = stores_of(2), many = stores_of(304 * 4);
  EXPECT_EQ(text(few.bound), "L1-L2 path");
  EXPECT_GT(busy(few, "L1-L2 path"), 0.7);
  EXPECT_LT(busy(few, "L2"), 0.02);
  EXPECT_EQ(text(many.bound), "L2");
  EXPECT_EQ(busy(many, "L1-L2 path"), -1);
  for (const Prediction* p : {&few, &many})
    for (const Prediction::Unit& unit : p->units) EXPECT_LE(unit.busy, 1) << unit.name;
}

/// What is not known of a GPU is said, and what is taken in its place.
TEST(Assumed, IsWhatAGpusFileLacks) {
  gpus::Gpu gpu = gpus::find("mi300x");
  const auto assumes = [&](std::string_view key) {
    const auto all = assumed::of(gpu);
    return std::ranges::find(all, key, &assumed::Value::key) != all.end();
  };
  EXPECT_FALSE(assumes("launch_us") || assumes("l2_gb_per_s"));
  gpu.launch_us.reset();
  gpu.l2_gb_per_s.reset();
  EXPECT_TRUE(assumes("launch_us") && assumes("l2_gb_per_s"));
}

}  // namespace
}  // namespace hipsight::timing
