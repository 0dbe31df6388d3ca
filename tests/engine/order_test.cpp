// Waves of a workgroup advance together, so that what lacks a barrier gives what it mostly gives on
// a GPU; and where their order decided a value, that is told.

#include <gmock/gmock.h>

#include <numeric>

#include "kernels.h"

namespace hipsight::engine {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t items = 256, groups = 9;

class WaveOrder : public testing::TestWithParam<Where> {
 protected:
  static std::vector<Tier> tiers() {
    if (Engine::host_isa() == "sse4") return {Tier::Interpret};
    return {Tier::Interpret, Tier::Translate, Tier::Auto};
  }
  static bool is_cdna() { return std::string_view(GetParam().gpu).starts_with("mi"); }
  static std::uint32_t lanes() { return is_cdna() ? 64 : 32; }
  static std::uint32_t waves() { return items / lanes(); }

  struct Outcome {
    std::vector<std::uint32_t> out;
    std::vector<std::string> told;
  };
  /// Runs a kernel that takes an array of 1, 2, 3 … and where to write to.
  static Outcome run(const char* name, Tier tier, unsigned threads) {
    Kernels kernels(GetParam(), {.threads = threads, .tier = tier});
    std::uint32_t *in = kernels.array(2 * items), *out = kernels.array(items * groups);
    std::iota(in, in + 2 * items, 1u);
    kernels.run(name, items, {in, out}, groups);
    return {{out, out + items * groups}, kernels.told};
  }
  /// In each tier, on one host thread and on three. `told`: of the order of waves.
  static void check(const char* name, const std::vector<std::uint32_t>& expected,
                    std::size_t told) {
    for (const Tier tier : tiers())
      for (const unsigned threads : {1u, 3u}) {
        SCOPED_TRACE(static_cast<int>(tier));
        const Outcome outcome = run(name, tier, threads);
        EXPECT_EQ(outcome.out, expected) << name;
        EXPECT_EQ(outcome.told.size(), told) << testing::PrintToString(outcome.told);
        EXPECT_THAT(outcome.told, Each(HasSubstr("order of waves")));
      }
  }
  /// What a wave's number is, for each work-item.
  template <class Of>
  static std::vector<std::uint32_t> by_wave(const Of& of) {
    std::vector<std::uint32_t> all;
    for (std::uint32_t i = 0; i < items * groups; ++i) all.push_back(of(i % items / lanes()));
    return all;
  }
  static std::uint32_t sum() { return waves() * (waves() + 1) / 2; }
};

TEST_P(WaveOrder, a_second_reduction_waits_for_the_loads_of_the_first) {
  const auto expected = by_wave([](std::uint32_t) { return sum() * sum() + sum(); });
  check("sums", expected, 1);
  check("sums_in_order", expected, 0);
  check("unused", expected, 0);
  check("sums_by_calls", expected, 1);
}

TEST_P(WaveOrder, the_note_names_both_lines) {
  const Outcome outcome = run("sums", Tier::Interpret, 1);
  ASSERT_EQ(outcome.told.size(), 1u);
  const std::string& note = outcome.told.front();
  EXPECT_THAT(note, HasSubstr("kernel      sums"));
  EXPECT_THAT(note, testing::ContainsRegex("load +[^ ]*order.hip:38: 0x[0-9a-f]+ ds_"));
  EXPECT_THAT(note, testing::ContainsRegex("store +[^ ]*order.hip:35: 0x[0-9a-f]+ ds_"));
}

TEST_P(WaveOrder, holds_in_loops_that_are_longer_than_a_turn) {
  std::vector<std::uint32_t> value(waves());
  std::iota(value.begin(), value.end(), 1u);
  for (std::uint32_t round = 0; round < 3000; ++round) {
    std::uint32_t all = 0;
    for (const std::uint32_t one : value) all += one ^ round;
    for (std::uint32_t w = 0; w < waves(); ++w) value[w] = all + w + 1;
  }
  check("rounds", by_wave([&](std::uint32_t w) { return value[w]; }), 1);
}

TEST_P(WaveOrder, a_store_comes_behind_what_other_waves_have_stored_earlier) {
  std::vector<std::uint32_t> mirrored, last;
  for (std::uint32_t i = 0; i < items * groups; ++i) {
    mirrored.push_back(items - i % items);
    last.push_back(7 * items + (i + items - 7 * lanes() % items) % items);
  }
  check("cleared", mirrored, 1);
  check("cleared_and_added", mirrored, 1);
  check("again_and_again", last, 0);
}

TEST_P(WaveOrder, the_note_names_both_stores) {
  const Outcome outcome = run("cleared", Tier::Interpret, 1);
  ASSERT_EQ(outcome.told.size(), 1u);
  const std::string& note = outcome.told.front();
  EXPECT_THAT(note, HasSubstr("parts a store of it from the next store"));
  EXPECT_THAT(note, testing::ContainsRegex("store +[^ ]*order.hip:83: 0x[0-9a-f]+ ds_"));
  EXPECT_THAT(note, testing::ContainsRegex("store +[^ ]*order.hip:84: 0x[0-9a-f]+ ds_"));
}

TEST_P(WaveOrder, holds_of_loads_straight_to_lds) {
  if (std::string_view(GetParam().gpu) != "mi300x") GTEST_SKIP() << "not compiled for this GPU";
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < items * groups; ++i)
    expected.push_back(items - i % items + 3 * (items + i % items + 1));
  check("direct", expected, 1);
}

TEST_P(WaveOrder, waves_that_poll_and_words_of_ones_own_are_in_order) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < items * groups; ++i) expected.push_back(((i % items) ^ 3) + 2);
  check("apart", expected, 0);
  for (const Tier tier : tiers()) {
    Kernels kernels(GetParam(), {.threads = 1, .timeout = std::chrono::seconds(60), .tier = tier});
    std::uint32_t* out = kernels.array(items);
    kernels.run("polling", items, {out});
    EXPECT_EQ(out[0], 7u);
    EXPECT_EQ(out[lanes()], 5u);
    EXPECT_THAT(kernels.told, IsEmpty());
  }
}

TEST_P(WaveOrder, a_workgroup_that_spins_past_such_stores_makes_room) {
  for (const Tier tier : tiers()) {
    Kernels kernels(GetParam(), {.threads = 2, .timeout = std::chrono::seconds(60), .tier = tier});
    std::uint32_t *counter = kernels.array(1), *out = kernels.array(items * groups);
    kernels.run("meet", items, {counter, out}, groups);
    EXPECT_THAT(std::vector(out, out + items * groups), Each(1u));
  }
}

INSTANTIATE_TEST_SUITE_P(Gpus, WaveOrder,
                         testing::Values(Where{"mi300x", HIPSIGHT_ORDER_gfx942},
                                         Where{"rx7900xtx", HIPSIGHT_ORDER_gfx1100},
                                         Where{"rx9070xt", HIPSIGHT_ORDER_gfx1201}),
                         name_of);

}  // namespace
}  // namespace hipsight::engine
