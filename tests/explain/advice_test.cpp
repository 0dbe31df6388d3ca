// Kernels with one defect each, as their workgroups' doings, and their twins without it: the defect
// is what is told first, the gain is what the model says of the twin, and of that nothing is told.
#include "explain/advice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernel.h"

namespace hipsight::explain {
namespace {

/// What is told of it, and how long it takes.
class Told {
 public:
  explicit Told(const Kernel& kernel) : observed_(kernel) {
    now = observed_.launch.predict();
    advice = advise(observed_.launch, now, kernel.spilled);
  }
  std::string first() const { return advice.empty() ? "" : std::string(advice.front().id); }
  bool tells(std::string_view id) const {
    return std::ranges::find(advice, id, &Advice::id) != advice.end();
  }

  timing::Prediction now;
  std::vector<Advice> advice;

 private:
  Observed observed_;
};

/// The model's time for the twin is what was said; and of the twin the defect is not told.
void expect_defect(const Kernel& bad, const Kernel& good, std::string_view id, double off = 0.1) {
  const Told defect(bad), twin(good);
  ASSERT_EQ(defect.first(), id);
  const Advice& advice = defect.advice.front();
  EXPECT_NEAR(defect.now.seconds * (1 - advice.gain), twin.now.seconds, off * twin.now.seconds)
      << "now " << defect.now.seconds;
  EXPECT_FALSE(advice.change.empty() || advice.evidence.empty());
  EXPECT_FALSE(twin.tells(id)) << twin.advice.front().evidence;
}

TEST(Advice, lanes_that_meet_in_a_bank) {
  Kernel good{.instruction = "DS_READ_B32", .space = Space::Lds, .turns = 400};
  good.at = [](auto, unsigned, unsigned lane) { return lane * 4; };
  Kernel bad = good;
  bad.at = [](auto, unsigned, unsigned lane) { return lane * 32 * 4; };
  expect_defect(bad, good, bank_conflicts, 0.01);
}

/// Lanes go down columns: each line is there again for the next ones.
TEST(Advice, columns_of_a_matrix_in_place_of_rows) {
  Kernel bad;
  bad.at = [](std::uint64_t group, unsigned turn, unsigned lane) {
    return group * 64 * 128 + lane * 128 + turn * 4;
  };
  Kernel good;
  good.at = [](std::uint64_t group, unsigned turn, unsigned lane) {
    return group * 64 * 128 + turn * 256 + lane * 4;
  };
  expect_defect(bad, good, uncoalesced);
}

/// Of each line of memory a lane wants a dword, and nobody the rest.
TEST(Advice, fields_of_large_structs) {
  Kernel bad;
  bad.at = [](std::uint64_t group, unsigned turn, unsigned lane) {
    return ((group * 32 + turn) * 64 + lane) * 128;
  };
  Kernel good;
  good.at = [](std::uint64_t group, unsigned turn, unsigned lane) {
    return ((group * 32 + turn) * 64 + lane) * 4;
  };
  expect_defect(bad, good, uncoalesced, 0.2);
}

/// As many lines as bytes are: nothing to gain, though none lies beside the other.
TEST(Advice, says_nothing_of_whole_lines_apart) {
  Kernel good;
  good.at = [](std::uint64_t group, unsigned turn, unsigned lane) {
    return (group * 32 + turn) * 8192 + lane / 32 * 4096 + lane % 32 * 4;
  };
  EXPECT_FALSE(Told(good).tells(uncoalesced));
}

TEST(Advice, too_many_registers_for_waves_that_wait) {
  Kernel bad{.turns = 64, .vgprs = 256};
  Kernel good = bad;
  bad.workgroups = good.workgroups = 304 * 64;
  const Told defect(bad);
  ASSERT_EQ(defect.first(), occupancy);
  EXPECT_NE(defect.advice[0].evidence.find("2 of 8 waves per SIMD, limited by VGPRs"),
            std::string::npos)
      << defect.advice[0].evidence;
  // What it says is the most registers is what is tried.
  const std::string& change = defect.advice[0].change;
  ASSERT_EQ(change.rfind("take at most ", 0), 0u) << change;
  good.vgprs = static_cast<unsigned>(std::stoul(change.substr(13)));
  EXPECT_NEAR(defect.now.seconds * (1 - defect.advice[0].gain), Told(good).now.seconds,
              0.1 * defect.now.seconds);
  good.vgprs = 64;  // all waves
  EXPECT_FALSE(Told(good).tells(occupancy));
}

TEST(Advice, too_much_lds_for_waves_that_wait) {
  const Kernel bad{.workgroups = 304 * 64, .lds = 32768};
  const Told defect(bad);
  ASSERT_EQ(defect.first(), occupancy);
  EXPECT_EQ(defect.advice[0].change.rfind("take at most ", 0), 0u);
  EXPECT_NE(defect.advice[0].change.find(" B of LDS a workgroup, not 32768"), std::string::npos);
  Kernel good = bad;
  good.lds = 1024;
  EXPECT_FALSE(Told(good).tells(occupancy));
}

TEST(Advice, a_grid_of_too_few) {
  Kernel bad{.workgroups = 38, .turns = 1600};
  Kernel good = bad;
  const Told defect(bad);
  ASSERT_EQ(defect.first(), small_grid);
  const std::string& change = defect.advice[0].change;
  const std::string head = "share its work among ";
  ASSERT_EQ(change.rfind(head, 0), 0u) << change;
  const auto parts = static_cast<unsigned>(std::stoul(change.substr(head.size())));
  good.workgroups *= parts;
  good.turns /= parts;
  const Told twin(good);
  EXPECT_NEAR(defect.now.seconds * (1 - defect.advice[0].gain), twin.now.seconds,
              0.1 * twin.now.seconds);
  good = {.workgroups = 304 * 8, .turns = 25};
  EXPECT_FALSE(Told(good).tells(small_grid));
}

TEST(Advice, registers_that_are_spilled) {
  Kernel bad{.instruction = "SCRATCH_LOAD_DWORD", .space = Space::Scratch, .spilled = 3};
  bad.at = [](std::uint64_t, unsigned turn, unsigned lane) { return turn * 256 + lane * 4; };
  const Told defect(bad);
  EXPECT_TRUE(defect.tells(spills));
  EXPECT_NE(defect.advice.front().evidence.find("3 VGPRs"), std::string::npos);
  bad.spilled = 0;  // arrays of the kernel's own
  EXPECT_FALSE(Told(bad).tells(spills));
}

TEST(Advice, launches_that_are_longer_than_their_work) {
  const Told defect({.workgroups = 304, .turns = 1});
  ASSERT_EQ(defect.first(), launch_overhead);
  EXPECT_TRUE(defect.advice[0].but_first);
  EXPECT_NEAR(defect.advice[0].gain, defect.now.launch_seconds / defect.now.seconds, 1e-6);
  EXPECT_FALSE(Told({.workgroups = 304 * 64, .turns = 640}).tells(launch_overhead));
}

TEST(Advice, the_same_each_time) {
  Kernel bad;
  bad.at = [](std::uint64_t group, unsigned turn, unsigned lane) {
    return ((group * 32 + turn) * 64 + lane) * 128;
  };
  const Told one(bad), other(bad);
  ASSERT_EQ(one.advice.size(), other.advice.size());
  for (std::size_t i = 0; i < one.advice.size(); ++i) {
    EXPECT_EQ(one.advice[i].gain, other.advice[i].gain);
    EXPECT_EQ(one.advice[i].id, other.advice[i].id);
  }
}

}  // namespace
}  // namespace hipsight::explain
