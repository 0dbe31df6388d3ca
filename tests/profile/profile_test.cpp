// Profiles of launches that are made by hand: what is counted can be told by counting.
#include "profile/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <utility>

#include "profile/cache.h"
#include "profile/footprint.h"
#include "profile/lds.h"
#include "profile/simulate.h"

namespace hipsight::profile {
namespace {

using engine::Access;

TEST(Cache, HoldsWhatFitsAndForgetsTheOldest) {
  Cache cache(64 * 128, 128);
  for (std::uint64_t line = 0; line < 64; ++line) EXPECT_FALSE(cache.touch(line));
  for (std::uint64_t line = 0; line < 64; ++line) EXPECT_TRUE(cache.touch(line)) << line;
  // Twice what fits, round and round: the oldest line is always the next one wanted.
  for (int round = 0; round < 3; ++round)
    for (std::uint64_t line = 100; line < 228; ++line) EXPECT_FALSE(cache.touch(line)) << line;
}

/// However much streams through it, it keeps the rest but for one line of each set.
TEST(Cache, IsNotFlushedByWhatStreams) {
  Cache cache(64 * 128, 128);
  for (std::uint64_t line = 0; line < 64; ++line) cache.touch(line);
  for (std::uint64_t line = 1000; line < 2000; ++line) EXPECT_FALSE(cache.touch(line, true));
  int kept = 0;
  for (std::uint64_t line = 64; line-- > 0;) kept += cache.touch(line);
  EXPECT_EQ(kept, 60);
}

/// What kept_share says is what a simulated cache does, a little more than full.
TEST(Cache, KeepsShareOfWhatGoesRound) {
  constexpr std::uint64_t capacity = 1 << 20;
  for (const double load : {0.5, 1.0, 1.01, 1.02, 1.04, 1.0625, 1.1, 1.5}) {
    Cache cache(capacity, 128);
    const auto lines = static_cast<std::uint64_t>(load * capacity / 128);
    double hits = 0;
    for (int round = 0; round < 4; ++round)
      for (std::uint64_t line = 0; line < lines; ++line) hits += cache.touch(line) && round == 3;
    EXPECT_NEAR(kept_share(double(lines * 128), double(capacity)), hits / double(lines), 0.03)
        << load;
  }
}

class ProfileTest : public testing::Test {
 protected:
  ProfileTest() {
    load.row = &isa::row_of(isa::Opcode::GLOBAL_LOAD_DWORD);
    store.row = &isa::row_of(isa::Opcode::GLOBAL_STORE_DWORD);
    for (isa::Instruction* in : {&load, &store}) in->format = isa::Format::Flat;
    store.address = 4;
    EXPECT_EQ(isa::work_of(load).bytes_read, 4u);
    EXPECT_EQ(isa::work_of(store).bytes_written, 4u);
  }
  /// A wave of a workgroup accesses dwords from `at` on, `stride` bytes apart.
  void access(LaunchTrace& trace, std::uint64_t workgroup, const isa::Instruction& in,
              std::uint64_t at, unsigned stride, std::uint64_t mask = ~0ull,
              Access::Space space = Access::Space::Global) {
    std::array<std::uint64_t, 64> where;
    for (unsigned lane = 0; lane < 64; ++lane) where[lane] = at + std::uint64_t{lane} * stride;
    engine::GroupObserver* group = trace.begins(workgroup);
    ASSERT_NE(group, nullptr) << workgroup;
    group->enters(0, region_of(in), mask);
    group->accesses(0, in, {space, 4, 64, mask, where.data()});
  }
  std::uint32_t region_of(const isa::Instruction& in) const { return &in == &store ? 1 : 0; }
  /// The launch's exact counts.
  engine::Result result(std::uint64_t workgroups, std::uint64_t loads, std::uint64_t stores) const {
    engine::Result result;
    result.workgroups = workgroups;
    result.regions = {{&load, 1}, {&store, 1}};
    if (loads) result.counts.push_back({&load, loads, loads * 64});
    if (stores) result.counts.push_back({&store, stores, stores * 64});
    return result;
  }

  Profile profiled(LaunchTrace& trace, const engine::Result& result) const {
    simulate(gpu, trace);
    return profile(trace, result);
  }

  const gpus::Gpu gpu = gpus::find("mi300x");  // L1: 32 KiB in lines of 128 bytes; 8 XCDs
  isa::Instruction load, store;
};

TEST_F(ProfileTest, CountsSectorsAndLines) {
  LaunchTrace trace(gpu, 1, 64);
  access(trace, 0, load, 0x1000, 4);    // 256 bytes side by side
  access(trace, 0, load, 0x1004, 4);    // the same, not aligned
  access(trace, 0, load, 0x8000, 256);  // each its own line
  access(trace, 0, load, 0x8000, 0, 3);
  const Profile p = profiled(trace, result(1, 4, 0));
  ASSERT_EQ(p.instructions.size(), 1u);
  const Use& use = p.instructions[0].use;
  EXPECT_EQ(use.requests, 4u);
  EXPECT_EQ(use.lanes, 3 * 64u + 2);
  EXPECT_EQ(use.bytes, 4 * (3 * 64 + 2));
  EXPECT_EQ(use.sectors, 8u + 9 + 64 + 1);
  EXPECT_EQ(use.lines, 2u + 3 + 64 + 1);
  EXPECT_EQ(p.sampling_error, 0);
}

TEST_F(ProfileTest, ObservesNeighboursOfOneXcdAndOthers) {
  LaunchTrace trace(gpu, 1000, 16);
  ASSERT_EQ(trace.neighbours().size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(trace.neighbours()[i].workgroup, i * 8);
  EXPECT_EQ(trace.others().size(), 8u);
  EXPECT_EQ(trace.begins(1), nullptr);
  EXPECT_EQ(LaunchTrace(gpu, 16, 16).neighbours().size(), 16u);  // small enough: whole
}

TEST_F(ProfileTest, ScalesToAllWorkgroups) {
  LaunchTrace trace(gpu, 100, 2);  // of 100, number 0 and one in the middle
  ASSERT_EQ(trace.neighbours().size() + trace.others().size(), 2u);
  access(trace, 0, load, 0, 4);
  access(trace, trace.others()[0].workgroup, load, 0x4000, 4);
  access(trace, trace.others()[0].workgroup, load, 0x4000, 4);
  const Profile p = profiled(trace, result(100, 120, 0));
  const InstructionProfile& row = p.instructions.at(0);
  EXPECT_EQ(row.executions, 120u);
  EXPECT_EQ(row.observed, 3u);
  EXPECT_EQ(row.scaled(double(row.use.bytes)), 120 * 256.0);
  // Three in two workgroups would be 150 in a hundred.
  EXPECT_DOUBLE_EQ(p.sampling_error, 0.25);
}

TEST_F(ProfileTest, CachesHoldWhatWasReadBefore) {
  LaunchTrace trace(gpu, 9, 64);
  for (int round = 0; round < 2; ++round) access(trace, 0, load, 0x10000, 4);
  access(trace, 8, load, 0x10000, 4);  // another compute unit, the same XCD
  for (int round = 0; round < 2; ++round) access(trace, 8, store, 0x10000, 4);
  const Profile p = profiled(trace, result(9, 3, 2));
  const CacheUse &loads = p.instructions.at(0).caches, &stores = p.instructions.at(1).caches;
  EXPECT_EQ(loads.l1_loads, 6u);
  EXPECT_EQ(loads.l1_hits, 2u);
  EXPECT_EQ(loads.l2_requests, 4u);
  EXPECT_EQ(loads.l2_hits, 2u);
  EXPECT_EQ(stores.l1_loads, 0u);     // they pass it by
  EXPECT_EQ(stores.l2_requests, 8u);  // of 64 bytes
  EXPECT_EQ(stores.l2_hits, 4u);      // the first ones are to be written back
}

/// A launch that is observed whole is on all XCDs, and no more of it at once than they have.
TEST_F(ProfileTest, EachXcdHasAnL2) {
  LaunchTrace trace(gpu, 2, 64);
  for (const std::uint64_t workgroup : {0, 1}) access(trace, workgroup, load, 0x10000, 4);
  EXPECT_EQ(profiled(trace, result(2, 2, 0)).instructions.at(0).caches.l2_hits, 0u);
}

/// Where its host thread put it is not asked: predictions are the same in each run.
TEST_F(ProfileTest, ScratchIsThatOfAWorkgroupThatHasEnded) {
  LaunchTrace trace(gpu, 3, 64, 2, 256);  // two at once: the third has the first one's scratch
  for (std::uint64_t workgroup : {0, 1, 2})
    access(trace, workgroup, load, 0, 4, ~0ull, Access::Space::Scratch);
  const auto& groups = trace.neighbours();
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].lines.size(), 2u);
  EXPECT_EQ(groups[1].lines[0], groups[0].lines[1] + 1);
  EXPECT_EQ(groups[2].lines, groups[0].lines);
}

/// Grids begin and end with what is rare. All have their begin in the middle that the GPU holds
/// there at once, and those that the same XCD had before.
TEST_F(ProfileTest, ObservesTheMiddleOfWhatDoesNotFitAtOnce) {
  LaunchTrace trace(gpu, 10'000, 16, 2000);
  EXPECT_EQ(trace.at_once_of_xcd(), 250u);
  ASSERT_EQ(trace.neighbours().size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(trace.neighbours()[i].workgroup, 4000 + i * 8);
  EXPECT_EQ(trace.openings().front().workgroup, 4001u);
  EXPECT_EQ(trace.openings().back().workgroup, 4000u + 64 * 8 - 1);
  ASSERT_GT(trace.before().size(), 490u);  // 500, but for others
  EXPECT_LE(trace.before().size(), 500u);
  EXPECT_EQ(trace.before().back().workgroup, 4000u - 8);
  for (const GroupTrace& group : trace.before()) EXPECT_EQ(group.workgroup % 8, 0u);
  EXPECT_NE(trace.begins(4000 - 8), nullptr);
  EXPECT_EQ(trace.begins(4000 - 7), nullptr);
  // What fits at once begins at the begin.
  LaunchTrace fits(gpu, 2000, 16, 2000);
  EXPECT_EQ(fits.neighbours()[0].workgroup, 0u);
  EXPECT_TRUE(fits.before().empty());
}

/// The neighbours find in the L2 what workgroups before them read, if it was not long ago, and was
/// to be kept: here lines that the group before read, those 4,096 of two groups earlier that the L2
/// of 4 MiB has lost since, and those that were read past the caches.
TEST_F(ProfileTest, WhatWasReadBeforeIsInTheL2) {
  isa::Instruction passing = load;
  passing.gfx = isa::Gfx::Gfx942;
  passing.cache = 2;  // nt
  ASSERT_TRUE(isa::is_streaming(passing));
  ASSERT_FALSE(isa::is_streaming(load));
  const auto shared = [&](const isa::Instruction& in, unsigned back) {
    LaunchTrace trace(gpu, 1000, 1, 8);  // one of an XCD at a time
    const std::uint64_t near = trace.neighbours().at(0).workgroup;
    access(trace, near - 8 * back, in, 0x10000, 128);
    for (std::uint64_t group = near - 8 * (back - 1); group < near; group += 8)
      for (std::uint64_t i = 0; i < 600; ++i)
        if (!trace.begins(group)->enough())
          access(trace, group, load, (group << 24) + i * 8192, 128);
    access(trace, near, load, 0x10000, 128);
    simulate(gpu, trace);
    EXPECT_EQ(trace.sharing.at(&load).arriving, 0);
    return trace.sharing.at(&load).l2;
  };
  EXPECT_EQ(shared(load, 1), 1);
  EXPECT_EQ(shared(load, 2), 1);   // 2,048 lines, of 32,768
  EXPECT_EQ(shared(load, 40), 0);  // the L2 has lost them
  EXPECT_EQ(shared(passing, 40), 0);
}

/// Workgroups 0 and 8 of those at once are on the first XCD, 1 on another; all ask at once.
TEST_F(ProfileTest, WorkgroupsThatBeginTogetherShareLines) {
  LaunchTrace trace(gpu, 9, 1, 9);
  ASSERT_EQ(trace.neighbours().size(), 1u);
  EXPECT_EQ(trace.openings().size(), 8u);
  for (const std::uint64_t group : {0, 1, 8}) access(trace, group, load, 0x10000, 4);
  access(trace, 1, load, 0x10000, 4);  // again: is no first touch
  for (const std::uint64_t group : {0, 8}) access(trace, group, store, 0x20000 + group * 4096, 4);
  simulate(gpu, trace);
  const Sharing loads = trace.sharing.at(&load), stores = trace.sharing.at(&store);
  EXPECT_DOUBLE_EQ(loads.arriving, 1.0 / 3);  // 8, which comes after 0
  EXPECT_DOUBLE_EQ(loads.mall, 1.0 / 3);      // 1
  EXPECT_EQ(loads.l2, 0);
  EXPECT_EQ(stores.arriving + stores.mall + stores.l2, 0);
  EXPECT_EQ(trace.neighbours()[0].waves[0].requests[0].first_touches, 2);
}

/// Whole launches: each line once, however many touch it.
TEST_F(ProfileTest, FootprintsOfWholeLaunchesAreExact) {
  LaunchTrace trace(gpu, 2, 64);
  access(trace, 0, load, 0x10000, 4);       // two lines of 128 bytes
  access(trace, 1, load, 0x10000, 4);       // the same ones
  access(trace, 1, store, 0x20000, 4);      // four of 64
  access(trace, 1, load, 0x1000000, 1024);  // 64 lines
  EXPECT_DOUBLE_EQ(footprint(gpu, trace).launch, 256 + 256 + 64 * 128);
  EXPECT_DOUBLE_EQ(footprint(gpu, trace).xcd, (256 + 256 + 64 * 128 + 256) / 2.0);  // their mean
}

/// 10,000 workgroups go round in 100 pieces of 256 bytes: far less than all could touch.
TEST_F(ProfileTest, FootprintsOfSamplesAreEstimated) {
  LaunchTrace trace(gpu, 10'000, 64);
  const auto touch = [&](const GroupTrace& group, std::uint64_t pieces) {
    access(trace, group.workgroup, load, 0x10000 + group.workgroup * 37 % pieces * 256, 4);
  };
  for (const GroupTrace& group : trace.neighbours()) touch(group, 100);
  for (const GroupTrace& group : trace.others()) touch(group, 100);
  const Footprint seen = footprint(gpu, trace);
  EXPECT_NEAR(seen.launch, 100 * 256, 0.1 * 100 * 256);
  EXPECT_EQ(seen.xcd, seen.launch);  // each XCD's touch all
  // Each workgroup its own piece, far apart: no more than all of them touch.
  LaunchTrace apart(gpu, 10'000, 64);
  const auto scatter = [&](const GroupTrace& group) {
    access(apart, group.workgroup, load, group.workgroup << 20, 4);
  };
  std::ranges::for_each(apart.others(), scatter);
  std::ranges::for_each(std::as_const(apart).neighbours(), scatter);
  EXPECT_DOUBLE_EQ(footprint(gpu, apart).launch, 10'000 * 256);
  EXPECT_DOUBLE_EQ(footprint(gpu, apart).xcd, 10'000 * 256 / 8.0);
}

/// Memory of two other GPUs: what of it all workgroups touch, once for each of them.
TEST_F(ProfileTest, OtherGpusMemoryIsCounted) {
  const std::vector<PeerMemory> others{{0x20000, 0x30000, 1}, {0x50000, 0x60000, 3}};
  LaunchTrace trace(gpu, 2, 64);
  access(trace, 0, load, 0x10000, 4);   // its own
  access(trace, 0, load, 0x20000, 4);   // 256 bytes
  access(trace, 0, load, 0x20000, 4);   // again
  access(trace, 1, load, 0x20000, 4);   // another workgroup's own way there
  access(trace, 1, store, 0x5ff00, 4);  // the end of the other one's
  access(trace, 1, store, 0x60000, 4);  // behind it
  const Peers seen = peers(gpu, trace, others);
  EXPECT_DOUBLE_EQ(seen.bytes, 3 * 256);
  EXPECT_EQ(seen.gpus, 2u);
  EXPECT_EQ(peers(gpu, trace, {}).bytes, 0);
  // 64 of 10,000 workgroups were observed.
  LaunchTrace large(gpu, 10'000, 64);
  for (const auto* groups : {&large.neighbours(), &large.others()})
    for (const GroupTrace& group : *groups)
      access(large, group.workgroup, load, 0x20000 + group.workgroup % 100 * 256, 4);
  EXPECT_DOUBLE_EQ(peers(gpu, large, others).bytes, 10'000 * 256);
  EXPECT_EQ(peers(gpu, large, others).gpus, 1u);
}

/// A compute unit knows the addresses of 32 pages of 2 MiB.
TEST_F(ProfileTest, PagesAreTranslated) {
  LaunchTrace trace(gpu, 1, 64);
  const auto walk = [&](unsigned pages, unsigned offset) {
    for (std::uint64_t i = 0; i < pages; ++i) access(trace, 0, load, (i << 21) + offset, 0);
  };
  walk(33, 0);                                   // the oldest one is forgotten,
  walk(33, 4096);                                // which is always the next
  access(trace, 0, load, (32 << 21) + 4096, 0);  // the L1 has it
  access(trace, 0, load, (32 << 21) + 8192, 0);
  simulate(gpu, trace);
  std::vector<std::uint16_t> pages;
  for (const Request& request : trace.neighbours()[0].waves[0].requests)
    pages.push_back(request.pages);
  std::vector<std::uint16_t> expected(66, 1);
  expected.insert(expected.end(), 2, 0);
  EXPECT_EQ(pages, expected);
}

/// Lines of the L1 that are half as long as the L2's come in pairs.
TEST_F(ProfileTest, HalfLinesComeTogether) {
  const gpus::Gpu mi210 = gpus::find("mi210");
  ASSERT_EQ(request_bytes(mi210, false), 64u);
  LaunchTrace trace(mi210, 2, 1, 2);
  access(trace, 0, load, 0x10000, 4);
  simulate(mi210, trace);
  EXPECT_EQ(trace.neighbours()[0].waves[0].requests[0].first_touches, 4);
  EXPECT_EQ(trace.sharing.at(&load).arriving, 0.5);
}

TEST_F(ProfileTest, OpeningsEnd) {
  LaunchTrace trace(gpu, 9, 1, 9);
  engine::GroupObserver* opening = trace.begins(1);
  for (unsigned i = 0; !opening->enough(); ++i) {
    access(trace, 0, load, i * 0x10000, 256);
    access(trace, 1, load, i * 0x10000, 256);
    ASSERT_LT(i, LaunchTrace::opening_lines);
  }
  EXPECT_FALSE(trace.begins(0)->enough());  // is observed whole
}

/// Counts of a launch that ran only in part come from the workgroups that ran to their end.
TEST_F(ProfileTest, CountsComeFromWholeWorkgroups) {
  LaunchTrace trace(gpu, 100, 1, 8);
  const std::uint64_t near = trace.neighbours().at(0).workgroup;
  for (int i = 0; i < 3; ++i) access(trace, near, load, 0x1000 * i, 4, i ? ~0ull : 1);
  access(trace, near + 1, load, 0, 4);
  engine::Result partly = result(100, 7, 0);
  trace.count(partly);
  ASSERT_EQ(partly.counts.size(), 1u);
  EXPECT_EQ(partly.counts[0].executions, 300u);
  EXPECT_EQ(partly.counts[0].lanes, 100 * (1u + 64 + 64));
  EXPECT_EQ(partly.executed, 1u);
  EXPECT_EQ(partly.waves, 100u);
}

/// The neighbours stand for themselves: a grid may begin with the longest of its workgroups.
TEST_F(ProfileTest, CountsAreThoseOfTheWholeGrid) {
  LaunchTrace trace(gpu, 1000, 16);
  for (const GroupTrace& group : trace.neighbours())
    for (int i = 0; i < 3; ++i) access(trace, group.workgroup, load, 0, 4);
  for (const GroupTrace& group : trace.others()) access(trace, group.workgroup, load, 0, 4);
  engine::Result partly = result(1000, 7, 0);
  trace.count(partly);
  EXPECT_EQ(partly.counts.at(0).executions, 8 * 3 + 992u);
  EXPECT_EQ(partly.waves, 1000u);
}

/// Where grids repeat themselves, others are not all at the same place of what is repeated.
TEST_F(ProfileTest, OthersAreNotInStep) {
  LaunchTrace trace(gpu, 4096, 64);
  std::set<std::uint64_t> places;
  for (const GroupTrace& group : trace.others()) places.insert(group.workgroup % 128);
  EXPECT_GT(places.size(), 24u);
}

TEST_F(ProfileTest, SpinningIsForgotten) {
  LaunchTrace trace(gpu, 1, 64);
  access(trace, 0, store, 0x1000, 4);
  GroupTrace& group = trace.neighbours()[0];
  EXPECT_FALSE(group.spins(0));
  for (int i = 0; i < 100; ++i) access(trace, 0, load, 0x2000, 4);
  EXPECT_TRUE(group.spins(0));
  EXPECT_EQ(group.waves[0].path.size(), 2u);
  EXPECT_EQ(group.waves[0].requests.size(), 2u);
  EXPECT_EQ(group.executions[0].count, 1u);
  EXPECT_EQ(group.executions[0].lanes, 64u);
  // A loop that goes on in memory does not spin.
  for (std::uint64_t i = 0; i < 100; ++i) access(trace, 0, load, 0x4000 + i * 256, 4);
  EXPECT_FALSE(group.spins(0));
}

/// Also where a workgroup's end is not kept.
TEST_F(ProfileTest, LongLoopsDoNotSpin) {
  LaunchTrace trace(gpu, 1, 64);
  GroupTrace& group = trace.neighbours()[0];
  for (std::uint64_t i = 0; !group.cut; ++i) access(trace, 0, load, 0x4000 + i * 8192, 128);
  for (std::uint64_t i = 0; i < 100; ++i) access(trace, 0, load, 0x4000 + i * 8192, 128);
  EXPECT_FALSE(group.spins(0));
  const auto executions = group.executions[0].count;
  for (int i = 0; i < 100; ++i) access(trace, 0, load, 0x2000, 4);
  EXPECT_TRUE(group.spins(0));
  EXPECT_EQ(group.executions[0].count, executions + 1);
}

/// A trace has no GPU's cycles in it: they come of the patterns, and are those of each access by
/// itself.
TEST_F(ProfileTest, LdsTakesWhatEachAccessWouldOnEachGpu) {
  isa::Instruction read, write, add;
  read.row = &isa::row_of(isa::Opcode::DS_READ_B32);
  write.row = &isa::row_of(isa::Opcode::DS_WRITE_B32);
  add.row = &isa::row_of(isa::Opcode::DS_ADD_U32);
  struct Made {
    const isa::Instruction* instruction;
    std::uint64_t mask;
    std::array<std::uint64_t, 64> at;
  };
  std::mt19937_64 random(1);
  std::vector<Made> all;
  LaunchTrace trace(gpu, 1, 64);
  GroupTrace& group = trace.neighbours()[0];
  for (int i = 0; i < 300; ++i) {
    Made one{.instruction = std::array{&read, &write, &add}[i % 3], .mask = random() | 1, .at = {}};
    const std::uint64_t stride = 4u << random() % 8, begin = random() % 4096 * 4;
    for (std::uint64_t lane = 0; lane < 64; ++lane)
      one.at[lane] = begin + (i % 2 ? random() % 1024 * 4 : lane * stride);
    group.enters(0, 0, one.mask);
    group.accesses(0, *one.instruction, {Access::Space::Lds, 4, 64, one.mask, one.at.data()});
    all.push_back(one);
  }
  for (const char* name : {"mi300x", "mi355x", "rx9070xt", "mi300x"}) {
    const gpus::Gpu other = gpus::find(name);
    simulate(other, trace);
    std::uint64_t cycles = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const isa::MemoryAccess& memory = all[i].instruction->row->memory;
      const LdsCost alone =
          LdsPort(other, memory.stores(), memory.atomic(), 4).cost(all[i].mask, all[i].at.data());
      EXPECT_EQ(group.waves[0].requests[i].lds_cycles, alone.cycles) << name << " " << i;
      EXPECT_EQ(group.waves[0].requests[i].least, alone.least) << name << " " << i;
      cycles += alone.cycles;
    }
    EXPECT_EQ(
        group.uses[&read].lds_cycles + group.uses[&write].lds_cycles + group.uses[&add].lds_cycles,
        cycles)
        << name;
  }
}

TEST(LdsPatterns, AreTheSameWhereverTheyLie) {
  const isa::Instruction in;
  std::array<std::uint64_t, 64> at{};
  LdsPatterns patterns;
  for (std::uint64_t lane = 0; lane < 64; ++lane) at[lane] = lane * 8;
  EXPECT_EQ(patterns.add(in, 4, ~0ull, at.data()), 0u);
  for (std::uint64_t& one : at) one += 5 * 4;
  EXPECT_EQ(patterns.add(in, 4, ~0ull, at.data()), 0u);
  EXPECT_EQ(patterns.add(in, 4, 1, at.data()), 1u);
  EXPECT_EQ(patterns.add(in, 8, 1, at.data()), 2u);
  at[7] += 4;
  EXPECT_EQ(patterns.add(in, 4, ~0ull, at.data()), 3u);
  EXPECT_EQ(patterns.all()[0].executions, 2u);
}

/// Addresses at random are a new pattern each time: some of them stand for the rest.
TEST(LdsPatterns, OfRandomAddressesAreFew) {
  const isa::Instruction in;
  std::mt19937_64 random(1);
  std::array<std::uint64_t, 64> at{};
  LdsPatterns patterns;
  constexpr std::uint64_t times = 3 * LdsPatterns::most;
  for (std::uint64_t i = 0; i < times; ++i) {
    for (std::uint64_t& one : at) one = random() % 4096 * 4;
    EXPECT_LT(patterns.add(in, 4, ~0ull, at.data()), LdsPatterns::most);
  }
  ASSERT_EQ(patterns.all().size(), LdsPatterns::most);
  for (const LdsPattern& one : patterns.all()) EXPECT_EQ(one.executions, 3u);
}

/// What one GPU's caches did is gone when another's are simulated.
TEST_F(ProfileTest, OneTraceServesTheGpusOfATarget) {
  const auto traced = [&] {
    LaunchTrace trace(gpu, 16, 16);
    for (std::uint64_t group = 0; group < 16; ++group)
      for (std::uint64_t i = 0; i < 400; ++i) {
        access(trace, group, load, i % 200 * 256, 4);
        access(trace, group, store, (1 << 20) + group * 256, 4);
      }
    return trace;
  };
  const auto hits = [&](LaunchTrace& trace, const gpus::Gpu& on) {
    simulate(on, trace);
    const Profile p = profile(trace, result(16, 6400, 6400));
    return std::array{p.instructions[0].caches.l1_hits, p.instructions[0].caches.l2_hits,
                      p.instructions[1].caches.l2_hits, std::uint64_t(trace.footprint.xcd)};
  };
  gpus::Gpu small = gpu;
  small.l1_bytes_per_cu = 1 << 16;
  small.xcds = 4;
  LaunchTrace once = traced(), again = traced(), other = traced();
  const auto here = hits(once, gpu), there = hits(other, small);
  EXPECT_NE(here, there);
  EXPECT_EQ(hits(again, small), there);
  EXPECT_EQ(hits(again, gpu), here);
}

}  // namespace
}  // namespace hipsight::profile
