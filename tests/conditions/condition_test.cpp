#include "conditions/condition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>

#include "support/error.h"

namespace hipsight::conditions {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

KernelReport kernel() {
  KernelReport one;
  one.kernel.title = "saxpy(int)";
  one.kernel.vgprs = 128;
  one.kernel.vgpr_spills = 2;
  one.kernel.sgpr_spills = 1;
  one.kernel.lds_bytes = 3000;
  one.dynamic_lds = 1096;
  one.counts.launches = 4;
  one.occupancy.waves_per_simd = 2;
  one.occupancy.max_waves_per_simd = 8;
  one.prediction.emplace();
  one.verdict.seconds = 20e-6;
  one.profile.emplace();
  one.profile->sector_bytes = 32;
  one.profile->all.bytes = 320;
  one.profile->all.sectors = 40;
  one.profile->all.lds_cycles = 1000;
  one.profile->all.lds_conflict_cycles = 512;
  one.profile->all.caches = {.l1_loads = 0, .l1_hits = 0, .l2_requests = 10, .l2_hits = 4};
  return one;
}

bool holds(const char* text) {
  return Condition(text).holds(kernel());
}

TEST(Conditions, CompareFigures) {
  EXPECT_TRUE(holds("vgprs == 128"));
  EXPECT_TRUE(holds("vgprs >= 128"));
  EXPECT_TRUE(holds("vgprs <= 128"));
  EXPECT_FALSE(holds("vgprs < 128"));
  EXPECT_FALSE(holds("vgprs > 128"));
  EXPECT_FALSE(holds("vgprs != 128"));
  EXPECT_TRUE(holds("spills==3"));
  EXPECT_TRUE(holds(" lds_bytes\t==\n4096 "));
  EXPECT_TRUE(holds("bank_conflicts > 511.5"));
  EXPECT_TRUE(holds("vgprs > -1e2"));
}

TEST(Conditions, TakeUnitsThatFit) {
  EXPECT_TRUE(holds("seconds > 19.99 us"));
  EXPECT_TRUE(holds("seconds > 19999 ns and seconds < 20.001us and seconds < 0.021 ms"));
  EXPECT_TRUE(holds("seconds_per_launch < 5.001e-6"));
  EXPECT_TRUE(holds("occupancy == 25 %"));
  EXPECT_TRUE(holds("occupancy == 0.25"));
  EXPECT_TRUE(holds("sector_use < 25.1% and sector_use > 24.9%"));
  EXPECT_TRUE(holds("lds_bytes <= 4 KiB and lds_bytes > 4.095kB"));
}

TEST(Conditions, JoinByPrecedence) {
  EXPECT_TRUE(holds("vgprs == 128 or vgprs == 1 and vgprs == 2"));
  EXPECT_FALSE(holds("(vgprs == 128 or vgprs == 1) and vgprs == 2"));
  EXPECT_FALSE(holds("not vgprs == 128"));
  EXPECT_TRUE(holds("not vgprs == 1 and vgprs == 128"));
  EXPECT_FALSE(holds("not (vgprs == 1 or vgprs == 128)"));
  EXPECT_TRUE(holds("not not vgprs == 128"));
}

TEST(Conditions, WhatAKernelDoesNotHaveMeetsNoComparison) {
  EXPECT_FALSE(holds("l1_hits < 1"));
  EXPECT_FALSE(holds("l1_hits >= 0"));
  EXPECT_TRUE(holds("l2_hits == 40%"));
  EXPECT_EQ(Condition("l1_hits > 0 or l2_hits > 0").values(kernel()),
            "l1_hits is none, l2_hits is 40 %");
}

TEST(Conditions, AnUnknownFigureIsAnError) {
  KernelReport one = kernel();
  one.profile.reset();
  EXPECT_THAT([&] { Condition("vgprs > 1 and bank_conflicts > 0").holds(one); },
              ThrowsMessage<Exception>("condition 'vgprs > 1 and bank_conflicts > 0': "
                                       "bank_conflicts of saxpy(int) is not known: there is no "
                                       "profile of it"));
  EXPECT_FALSE(Condition("vgprs < 1 and bank_conflicts > 0").holds(one));  // it does not matter
  one.prediction.reset();
  EXPECT_THAT([&] { Condition("seconds > 0").holds(one); },
              ThrowsMessage<Exception>(HasSubstr("no prediction")));
}

TEST(Conditions, TellTheKernelsAndTheFigures) {
  RunReport run;
  run.kernels = {kernel(), kernel(), kernel()};
  run.kernels[1].kernel.vgpr_spills = run.kernels[1].kernel.sgpr_spills = 0;
  run.kernels[2].kernel.title = "other";
  run.kernels[2].verdict.seconds = 1.5e-3;
  const auto found = met(run, Condition("spills > 0 and seconds > 10us and spills < 9"));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kernel, "saxpy(int)");
  EXPECT_EQ(found[0].values, "spills is 3, seconds is 20.0 us");
  EXPECT_EQ(found[1].kernel, "other");
  EXPECT_EQ(found[1].values, "spills is 3, seconds is 1.50 ms");
}

TEST(Conditions, TellWhatTheyNeed) {
  const auto needs = [](const char* text) {
    const ConditionFacts facts = Condition(text).facts();
    return std::pair(facts.profile, facts.prediction);
  };
  EXPECT_EQ(needs("spills > 0 or occupancy < 50%"), std::pair(false, false));
  EXPECT_EQ(needs("spills > 0 or bank_conflicts > 0"), std::pair(true, false));
  EXPECT_EQ(needs("seconds > 1 and l1_hits < 1"), std::pair(true, true));
}

TEST(Conditions, RefuseWhatIsNone) {
  const auto refuses = [](const std::string& text, const char* words) {
    EXPECT_THAT([&] { Condition{text}; }, ThrowsMessage<Exception>(HasSubstr(words))) << text;
  };
  refuses("", "a figure is expected at its end");
  refuses("vgprs", "<, <=, >, >=, == or != is expected at its end");
  refuses("vgprs = 3", "is expected before '= 3'");
  refuses("vgprs > ", "a number is expected at its end");
  refuses("vgprs > many", "a number is expected before 'many'");
  refuses("vgprs > nan", "a number");
  refuses("vgprs > inf", "a number");
  refuses("vgprs > 1e999", "a number");
  refuses("vgprs > 3 us", "vgprs takes no 'us'; it takes a number alone");
  refuses("seconds > 3 KiB", "seconds takes no 'KiB'; it takes ns, us, ms, s");
  refuses("registers > 3", "there is no figure 'registers'; there are launches, ");
  refuses("vgprs > 3 and", "a figure is expected at its end");
  refuses("vgprs > 3 vgprs > 4", "vgprs takes no 'vgprs'");
  refuses("(vgprs > 3", "')' is expected at its end");
  refuses("vgprs > 3)", "'and', 'or' or its end is expected before ')'");
  refuses("3 < vgprs", "a figure is expected before '3 < vgprs'");
  refuses("vgprs > 3; import os", "before '; import os'");
  refuses(std::string(1000, '('), "64 levels");
  std::string nots;
  for (int i = 0; i < 1000; ++i) nots += "not ";
  refuses(nots + "vgprs > 3", "64 levels");
}

TEST(Conditions, StandInTheDocumentation) {
  std::ifstream in(HIPSIGHT_DOCS "/conditions.md");
  ASSERT_TRUE(in);
  const std::regex row("^\\| `(\\w+)` \\| (\\w+) \\| (.*?) \\|(.*)\\|$");
  std::vector<std::string> told, known;
  for (std::string line; std::getline(in, line);) {
    std::smatch parts;
    if (std::regex_match(line, parts, row)) told.push_back(parts[1].str() + ": " + parts[3].str());
  }
  for (const Figure& one : figures())
    known.push_back(std::string(one.name) + ": " + std::string(one.words));
  EXPECT_THAT(told, ::testing::ElementsAreArray(known));
}

}  // namespace
}  // namespace hipsight::conditions
