// What an observer is told of a wave's instructions, one by one.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/events.h"
#include "isa/instruction.h"
#include "kernels.h"

namespace hipsight::engine {
namespace {

/// A written register with the values of the lanes that were written.
struct Register {
  Written::File file;
  unsigned index;
  std::uint64_t mask;
  std::vector<std::uint32_t> values;
  bool operator==(const Register&) const = default;
};
void PrintTo(const Register& r, std::ostream* out) {
  *out << "register " << static_cast<int>(r.file) << ' ' << r.index << " mask " << std::hex
       << r.mask;
  for (const std::uint32_t value : r.values) *out << ' ' << value;
  *out << std::dec;
}
using Writes = std::vector<Register>;

struct Told {
  std::string name;
  std::uint64_t address;
  Writes writes;
  bool operator==(const Told&) const = default;
};

struct Follower : GroupObserver, Observer {
  Follower(std::uint64_t workgroup, unsigned wave) : workgroup(workgroup), wave(wave) {}
  GroupObserver* begins(std::uint64_t index) override {
    return index == workgroup ? this : nullptr;
  }
  Wants wants() const override { return {.regions = false, .accesses = false}; }
  bool steps(unsigned index) const override { return index == wave; }
  void step(unsigned index, const Step& step) override {
    EXPECT_EQ(index, wave);
    Told told{"(start)", 0, {}};
    if (step.instruction) {
      told.name = step.instruction->name();
      told.address = step.instruction->address;
    }
    for (const Written& w : step.written) {
      Register& r = told.writes.emplace_back(w.file, w.index, w.mask);
      const bool vector = w.file == Written::File::Vector || w.file == Written::File::Accumulator;
      for (unsigned lane = 0; lane < (vector ? step.lanes : 1); ++lane)
        if (w.mask >> lane & 1) r.values.push_back(w.values[lane]);
    }
    all.push_back(told);
  }
  std::uint64_t workgroup;
  unsigned wave;
  std::vector<Told> all;
};

std::size_t written(const std::vector<Told>& all) {
  std::size_t sum = 0;
  for (const Told& step : all) sum += step.writes.size();
  return sum;
}

using File = Written::File;
constexpr unsigned vcc = 106, exec = 126;

class StepsTest : public testing::TestWithParam<Where> {
 protected:
  Kernels kernels{GetParam()};
  const bool cdna = !kernels.processor().starts_with("gfx1");
  const unsigned lanes = cdna ? 64 : 32;
  const std::uint64_t all = cdna ? ~0ull : 0xffffffffull;

  static Register scalar(unsigned index, std::uint32_t value) {
    return {File::Scalar, index, 1, {value}};
  }
  static Register scc(std::uint32_t value) { return {File::Scc, 0, 1, {value}}; }
  template <class Value>
  Register vector(unsigned index, Value value, std::uint64_t mask, File file = File::Vector) const {
    Register r{file, index, mask, {}};
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (mask >> lane & 1) r.values.push_back(value(lane));
    return r;
  }
};

TEST_P(StepsTest, TellWhatEachInstructionWrote) {
  std::uint32_t* out = kernels.array(256);
  Follower follower(0, 0);
  kernels.run("spelled_out", lanes, {out, out}, 1, &follower);
  auto at = follower.all.begin();
  const auto is_marker = [](const Told& told) { return told.writes == Writes{scalar(20, 0x1234)}; };
  while (at != follower.all.end() && !is_marker(*at)) ++at;
  ASSERT_NE(at, follower.all.end());
  const auto constant = [](std::uint32_t value) { return [=](unsigned) { return value; }; };
  const auto expect = [&](const char* name, const Writes& writes) {
    ++at;
    ASSERT_NE(at, follower.all.end());
    EXPECT_EQ(at->writes, writes) << at->name << ", which is to be " << name;
  };
  expect("s_mov_b32", {scalar(20, 3)});
  expect("s_nop", {});
  expect("s_mov_b32 of what is there", {scalar(20, 3)});
  expect("v_mov_b32", {vector(40, constant(3), all)});
  expect("v_lshlrev_b32", {vector(41, [](unsigned lane) { return lane * 4; }, all)});
  Writes off{scalar(exec, 0x7c)}, on{scalar(exec, ~0u)};
  if (cdna) off.push_back(scalar(exec + 1, 0)), on.push_back(scalar(exec + 1, ~0u));
  expect("EXEC off", off);
  expect("v_add_u32", {vector(40, [](unsigned lane) { return lane * 4 + 3; }, 0x7c)});
  expect("EXEC on", on);
  Writes condition{scalar(vcc, 0xf)};
  if (cdna) condition.push_back(scalar(vcc + 1, 0));
  expect("v_cmp_gt_u32", condition);
  expect("v_xor_b32", {vector(41, [](unsigned lane) { return lane ^ 5; }, all)});
  if (cdna) {
    const auto sum = [](unsigned lane) { return lane >= 2 && lane < 7 ? lane * 4 + 3 : 3; };
    expect("v_accvgpr_write_b32", {vector(1, sum, all, File::Accumulator)});
    expect("v_mov_b32", {vector(40, constant(7), all)});
    expect("v_mov_b32", {vector(41, constant(9), all)});
  } else {
    expect("v_dual_mov_b32", {vector(40, constant(7), all), vector(41, constant(9), all)});
  }
  expect("s_add_u32", {scalar(20, 2), scc(1)});
  expect("s_cmp_lg_u32", {scc(1)});
  expect("s_cbranch_scc1", {});
  expect("s_add_u32", {scalar(20, 1), scc(1)});
  expect("s_cmp_lg_u32", {scc(0)});
  expect("s_cbranch_scc1", {});
  expect("s_barrier", {});
  expect("s_mov_b32", {scalar(cdna ? 124 : 125, 17)});
  ++at;
  ASSERT_EQ(at->writes.size(), 1u);
  EXPECT_EQ(at->writes[0], vector(at->writes[0].index, constant(7), all));
}

/// The wave's work is what was counted, in either tier; and the other waves are left alone.
TEST_P(StepsTest, AreTheSameInBothTiers) {
  std::vector<Told> interpreted;
  std::vector<std::uint32_t> expected;
  for (const Tier tier : {Tier::Interpret, Tier::Translate}) {
    if (tier == Tier::Translate && Engine::host_isa() == "sse4") continue;
    Kernels here(GetParam(), {.threads = 1, .tier = tier});
    std::uint32_t *out = here.array(1024), *in = here.array(256);
    for (std::uint32_t i = 0; i < 256; ++i) in[i] = i * 2654435761u;
    here.run("busy", 256, {out, in}, 4);  // what there is to translate is translated now
    const std::vector<std::uint32_t> plain(out, out + 1024);
    std::fill_n(out, 1024, 0);
    Follower follower(2, 1);
    here.run("busy", 256, {out, in}, 4, &follower);
    EXPECT_EQ(std::vector(out, out + 1024), plain);
    // Kernel arguments and results lie elsewhere in each engine: values of addresses differ.
    if (tier == Tier::Interpret) {
      interpreted = follower.all;
      expected = plain;
      continue;
    }
    EXPECT_EQ(plain, expected);
    // Compiled code goes its own way within a region, and writes only what is read later.
    std::set<std::uint64_t> told, wanted;
    for (const Told& step : follower.all) told.insert(step.address);
    for (const Told& step : interpreted)
      if (!step.writes.empty()) wanted.insert(step.address);
    EXPECT_TRUE(std::ranges::includes(told, wanted));
    EXPECT_LT(written(follower.all), written(interpreted));
  }
  ASSERT_FALSE(interpreted.empty());
}

TEST_P(StepsTest, AreWhatIsCounted) {
  std::uint32_t *out = kernels.array(256), *in = kernels.array(256);
  Follower follower(0, 0);
  kernels.run("busy", lanes, {out, in}, 1, &follower);
  std::map<std::uint64_t, std::uint64_t> told;
  for (const Told& step : follower.all)
    if (step.name != "(start)") ++told[step.address];
  ASSERT_GT(kernels.result.counts.size(), 20u);
  EXPECT_EQ(told.size(), kernels.result.counts.size());
  for (const InstructionCount& count : kernels.result.counts)
    EXPECT_EQ(told[count.instruction->address], count.executions) << count.instruction->name();
}

INSTANTIATE_TEST_SUITE_P(Gpus, StepsTest,
                         testing::Values(Where{"mi300x", HIPSIGHT_STEPS_gfx942},
                                         Where{"rx7900xtx", HIPSIGHT_STEPS_gfx1100}),
                         name_of);

}  // namespace
}  // namespace hipsight::engine
