// What an observer is told: each region and each access of the workgroups that it chose, no other.
#include <bit>
#include <map>
#include <set>

#include "engine/events.h"
#include "kernels.h"

namespace hipsight::engine {
namespace {

struct Seen : GroupObserver {
  void enters(unsigned, std::uint32_t region, std::uint64_t) override { ++regions[region]; }
  void accesses(unsigned, const isa::Instruction&, const Access& access) override {
    ++count[access.space];
    lanes[access.space] += static_cast<unsigned>(std::popcount(access.mask));
    for (unsigned lane = 0; lane < access.lanes; ++lane)
      if (access.mask >> lane & 1) at[access.space].insert(access.at[lane]);
  }
  bool spins(unsigned) override { return ++spun > doubts; }
  bool enough() const override {
    return most && count.contains(Access::Space::Global) && count.at(Access::Space::Global) >= most;
  }
  std::map<std::uint32_t, std::uint64_t> regions;
  unsigned spun = 0;    ///< times that it was asked
  unsigned doubts = 0;  ///< times that it says no first
  unsigned most = 0;    ///< accesses that are enough; 0: any number is not
  std::map<Access::Space, unsigned> count, lanes;
  std::map<Access::Space, std::set<std::uint64_t>> at;
};
struct Chosen : Observer {
  explicit Chosen(std::set<std::uint64_t> workgroups) : workgroups(std::move(workgroups)) {}
  GroupObserver* begins(std::uint64_t workgroup) override {
    return workgroups.contains(workgroup) ? &seen[workgroup] : nullptr;
  }
  std::set<std::uint64_t> workgroups;
  std::map<std::uint64_t, Seen> seen;
};
/// Says which it may choose next: each one of `workgroups`, and one that it then does not want.
struct Foretold : Chosen {
  using Chosen::Chosen;
  GroupObserver* begins(std::uint64_t workgroup) override {
    asked.insert(workgroup);
    return workgroup == unwanted ? nullptr : Chosen::begins(workgroup);
  }
  std::uint64_t next_choice(std::uint64_t workgroup) const override {
    const auto next = workgroups.lower_bound(workgroup);
    return next == workgroups.end() ? ~std::uint64_t{0} : *next;
  }
  std::uint64_t unwanted = 0;
  std::set<std::uint64_t> asked;
};

class ObserverTest : public testing::TestWithParam<Where> {
 protected:
  static constexpr std::uint32_t items = 128;
  /// Instructions of a workgroup, by what it was seen to enter.
  std::uint64_t instructions(const Seen& seen) const {
    std::uint64_t sum = 0;
    for (const auto& [region, times] : seen.regions)
      sum += kernels.result.regions.at(region).count * times;
    return sum;
  }
  std::uint64_t all_instructions() const {
    std::uint64_t sum = 0;
    for (const InstructionCount& count : kernels.result.counts) sum += count.executions;
    return sum;
  }
  Kernels kernels{GetParam()};
  const unsigned lanes = kernels.processor().starts_with("gfx1") ? 32 : 64;
  const unsigned waves = items / lanes;
};

TEST_P(ObserverTest, SeesWhatTheChosenWorkgroupsDo) {
  std::uint32_t *out = kernels.array(items * 8), *in = kernels.array(items * 8);
  Chosen observer({2, 5});
  kernels.run("copy", items, {out, in}, 8, &observer);
  ASSERT_EQ(observer.seen.size(), 2u);
  for (auto& [workgroup, seen] : observer.seen) {
    EXPECT_EQ(instructions(seen) * 8, all_instructions());
    EXPECT_EQ(seen.count[Access::Space::Global], 2 * waves);
    EXPECT_EQ(seen.lanes[Access::Space::Global], 2 * items);
    EXPECT_GT(seen.count[Access::Space::Scalar], 0u);
    std::set<std::uint64_t> expected;
    for (std::uint32_t i = 0; i < items; ++i) {
      expected.insert(reinterpret_cast<std::uintptr_t>(&out[workgroup * items + i]));
      expected.insert(reinterpret_cast<std::uintptr_t>(&in[workgroup * items + i]));
    }
    EXPECT_EQ(seen.at[Access::Space::Global], expected);
  }
}

TEST_P(ObserverTest, SeesOnlyLanesThatAreOn) {
  std::uint32_t *out = kernels.array(items), *in = kernels.array(items);
  Chosen observer({0});
  kernels.run("some", items, {out, in}, 1, &observer);
  EXPECT_EQ(observer.seen[0].lanes[Access::Space::Global], items);
  EXPECT_FALSE(observer.seen[0].at[Access::Space::Global].contains(
      reinterpret_cast<std::uintptr_t>(&in[0])));
}

TEST_P(ObserverTest, GivesOffsetsInLds) {
  std::uint32_t* out = kernels.array(lanes);
  Chosen observer({0});
  kernels.run("banks", lanes, {out}, 1, &observer);
  std::set<std::uint64_t> expected;
  for (std::uint32_t lane = 0; lane < lanes; ++lane)
    expected.insert(lane * 128), expected.insert(lane * 4);
  EXPECT_EQ(observer.seen[0].at[Access::Space::Lds], expected);
  EXPECT_EQ(observer.seen[0].count[Access::Space::Lds], 2u);
}

/// Translated code does not tell of accesses: waves that are observed do not enter it.
TEST_P(ObserverTest, SeesThroughTranslatedCode) {
  Kernels translated(GetParam(), {.threads = 1, .tier = Tier::Translate});
  std::uint32_t *out = translated.array(items * 2), *in = translated.array(items * 2);
  for (std::uint32_t i = 0; i < items; ++i) in[i] = i;
  for (int round = 0; round < 2; ++round) {
    Chosen observer({1});
    translated.run("loop", items, {out, in}, 2, &observer);
    std::uint64_t seen = 0, all = 0;
    for (const auto& [region, times] : observer.seen[1].regions)
      seen += translated.result.regions.at(region).count * times;
    for (const InstructionCount& count : translated.result.counts) all += count.executions;
    EXPECT_EQ(seen * 2, all);
    EXPECT_GE(observer.seen[1].count[Access::Space::Global], 2 * waves);
  }
  for (std::uint32_t i = 0; i < items; ++i) EXPECT_EQ(out[i], out[items + i]);
}

/// One by one, so many would take minutes.
TEST_P(ObserverTest, PassesOverWhatNobodyChooses) {
  constexpr std::uint32_t all = 1U << 24, last = all - 1;
  std::uint32_t* out = kernels.array(lanes);
  kernels.observed_only = true;
  Foretold first({1, 3, 1000}), second({3, 70000, last});
  first.unwanted = 1000;
  second.unwanted = 70000;
  kernels.run("banks", lanes, {out}, all, {&first, &second});
  const std::set<std::uint64_t> either{1, 3, 1000, 70000, last};
  EXPECT_EQ(first.asked, either);
  for (const std::uint64_t one : second.asked) EXPECT_TRUE(either.contains(one)) << one;
  EXPECT_EQ(kernels.result.workgroups, all);
  EXPECT_EQ(kernels.result.executed, 3u);
  EXPECT_EQ(first.seen.size(), 2u);
  EXPECT_EQ(second.seen.size(), 2u);
}

/// Nobody would ever free the waves.
TEST_P(ObserverTest, SpinningWavesAreLetGo) {
  std::uint32_t *out = kernels.array(items * 2), *flag = kernels.array(1);
  Chosen observer({1});
  kernels.observed_only = true;
  kernels.run("wait", items, {out, flag}, 2, &observer);
  EXPECT_EQ(observer.seen[1].spun, waves);
  EXPECT_EQ(*flag, 0u);
  EXPECT_EQ(out[0], 0u);
  for (std::uint32_t i = 0; i < items; ++i) EXPECT_EQ(out[items + i], 7u);
}

/// Also where several of them take turns, and it shows late that they spin.
TEST_P(ObserverTest, SpinningWorkgroupsAreLetGo) {
  std::uint32_t *out = kernels.array(items * 4), *flag = kernels.array(1);
  Chosen observer({1, 2, 3});
  for (const unsigned group : {1, 2, 3}) observer.seen[group].doubts = 100;
  kernels.observed_only = true;
  kernels.run("wait", items, {out, flag}, 4, &observer);
  for (std::uint32_t i = 0; i < items * 4; ++i) EXPECT_EQ(out[i], i < items ? 0u : 7u);
}

TEST_P(ObserverTest, WorkgroupsEndWhenEnoughWasSeen) {
  std::uint32_t *out = kernels.array(items * 2), *in = kernels.array(items);
  for (std::uint32_t i = 0; i < items; ++i) in[i] = i + 1;
  for (const bool only : {true, false}) {
    Chosen observer({0, 1});
    observer.seen[1].most = 10 * waves;
    kernels.observed_only = only;
    kernels.run("rounds", items, {out, in}, 2, &observer);
    EXPECT_EQ(observer.seen[0].count[Access::Space::Global], 101 * waves);
    EXPECT_GE(observer.seen[1].count[Access::Space::Global], 10 * waves);
    EXPECT_LT(observer.seen[1].count[Access::Space::Global], 20 * waves);
    // Where all run, it goes on unobserved.
    for (std::uint32_t i = 0; i < items; ++i) {
      EXPECT_EQ(out[i], (i + 1) * 4950);
      EXPECT_EQ(out[items + i], only ? 0 : out[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, ObserverTest,
                         testing::Values(Where{"mi300x", HIPSIGHT_OBSERVED_gfx942},
                                         Where{"rx7900xtx", HIPSIGHT_OBSERVED_gfx1100}),
                         name_of);

}  // namespace
}  // namespace hipsight::engine
