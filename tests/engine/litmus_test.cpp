// What workgroups on different host threads see of each other's stores: accesses of several words
// whole, and the shapes of litmus tests as AMDGPUUsage's memory model has them
// (docs/memory-model.md).
#include <gmock/gmock.h>

#include "kernels.h"

namespace hipsight::engine {
namespace {

class LitmusTest : public testing::TestWithParam<std::tuple<Where, Tier>> {
 protected:
  void SetUp() override {
    if (tier() == Tier::Translate && Engine::host_isa() == "sse4")
      GTEST_SKIP() << "this host cannot translate";
  }
  static Where where() { return std::get<0>(GetParam()); }
  static Tier tier() { return std::get<1>(GetParam()); }
  /// What is asked for, or else what there is.
  static Tier possible_tier() { return Engine::host_isa() == "sse4" ? Tier::Interpret : tier(); }

  static constexpr std::uint32_t rounds = 100, items = 64, words = 1 << 18;

  Kernels kernels{where(), {.threads = 4, .tier = possible_tier()}};
  std::uint32_t* memory = touched(words);
  std::uint32_t* out = touched(2 * rounds * items);

  /// On pages that are there: those that come at the first access part what should meet.
  std::uint32_t* touched(std::size_t count) {
    std::uint32_t* const array = kernels.array(count);
    std::fill_n(array, count, 0);
    return array;
  }
  /// The sum of what work-items give.
  std::uint64_t run(const std::string& name, std::uint32_t block, std::uint32_t workgroups) {
    std::fill_n(memory, words, 0);
    for (std::uint32_t i = 0; i < 64; ++i) memory[4096 + i] = i * 29 % 64;
    std::fill_n(out, 2 * rounds * items, 0);
    kernels.run(name, block, {memory, out}, workgroups);
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < 64; ++i) sum += out[i];
    return sum;
  }
};

TEST_P(LitmusTest, NobodySeesAPartOfAStore) {
  for (const char* bytes : {"2", "3", "4"})
    for (const char* way : {"same", "side", "apart", "table", "some"}) {
      const std::string name = std::string("share_") + bytes + "_" + way;
      EXPECT_EQ(run(name, 64, 2), 0u) << name;
    }
  EXPECT_EQ(run("share_buffer", 32, 2), 0u);
}

TEST_P(LitmusTest, MessagesArrive) {
  EXPECT_EQ(run("message_workgroup", 128, 1), 0u);
  EXPECT_EQ(run("message_agent", items, 2), 0u);
  EXPECT_EQ(run("message_system", items, 2), 0u);
  EXPECT_EQ(run("message_fences", items, 2), 0u);
}

TEST_P(LitmusTest, StoresAreSeenBeforeLaterLoads) {
  for (const char* name : {"buffering_agent", "buffering_system", "buffering_fences"}) {
    run(name, items, 2);
    std::uint32_t missed = 0;
    for (std::uint32_t i = 0; i < rounds * items; ++i)
      missed += !out[i] && !out[rounds * items + i];
    EXPECT_EQ(missed, 0u) << name;
  }
}

TEST_P(LitmusTest, ReadersAgreeOnTheOrderOfStores) {
  for (const char* name : {"independent_agent", "independent_system"}) {
    run(name, items, 4);
    std::uint32_t disagree = 0;
    for (std::uint32_t i = 0; i < rounds * items; ++i)
      disagree += out[i] == 1 && out[rounds * items + i] == 1;
    EXPECT_EQ(disagree, 0u) << name;
  }
}

TEST_P(LitmusTest, WorkgroupsWaitForEachOtherAtTheGpusBarrier) {
  if (std::string(where().gpu) == "rx9070xt") GTEST_SKIP() << "it has none";
  constexpr std::uint32_t groups = 20, block = 64;
  std::fill_n(memory, words, 0);
  memory[1] = groups;
  kernels.cooperative = true;
  for (int again = 0; again < 2; ++again) {
    std::fill_n(out, groups * block, 0);
    kernels.run("grid_barrier", block, {memory, out}, groups);
    for (std::uint32_t i = 0; i < groups * block; ++i) ASSERT_EQ(out[i], 5u) << i;
  }
  // Nobody has said how many come.
  kernels.cooperative = false;
  try {
    kernels.run("grid_barrier", block, {memory, out}, groups);
    FAIL() << "it ended";
  } catch (const KernelError& error) {
    EXPECT_EQ(error.kind, KernelError::Kind::Deadlock);
    EXPECT_THAT(error.what(), testing::HasSubstr("the kernel never ends: each wave waits"));
    EXPECT_THAT(error.what(), testing::HasSubstr("ds_gws_barrier"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Gpus, LitmusTest,
    testing::Combine(testing::Values(Where{"mi210", HIPSIGHT_LITMUS_gfx90a},
                                     Where{"mi300x", HIPSIGHT_LITMUS_gfx942},
                                     Where{"rx7900xtx", HIPSIGHT_LITMUS_gfx1100},
                                     Where{"rx9070xt", HIPSIGHT_LITMUS_gfx1201}),
                     testing::Values(Tier::Interpret, Tier::Translate)),
    [](const auto& info) {
      const bool translated = std::get<1>(info.param) == Tier::Translate;
      return std::string(std::get<0>(info.param).gpu) + (translated ? "_translated" : "");
    });

}  // namespace
}  // namespace hipsight::engine
