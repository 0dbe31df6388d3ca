// Kernels that never end, and kernels that look like it but do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../patience.h"
#include "run.h"

namespace programs {
namespace {

using testing::HasSubstr;

std::string name_of(const std::string& gpu, const std::string& tier, const std::string& rest) {
  return gpu + "_" + tier + "_" + rest;
}

struct Case {
  std::string name, marker, advice;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

/// GPU, tier of the engine, workgroups, case.
class Endless
    : public testing::TestWithParam<std::tuple<std::string, std::string, std::string, Case>> {};

TEST_P(Endless, IsStopped) {
  const auto& [gpu, tier, workgroups, c] = GetParam();
  const Outcome outcome = hipsight_run({"--gpu", gpu, "--timeout", "0.5"},
                                       {"endless", c.name, workgroups}, in_tier(tier));
  const std::string all = describe(outcome);
  EXPECT_EQ(outcome.out,
            "before\n"
            "wait: hipErrorLaunchTimeOut\n"
            "after it: hipErrorLaunchTimeOut\n"
            "after\n");
  EXPECT_EQ(outcome.status, 124) << all;
  EXPECT_GE(outcome.seconds, 0.5);
  EXPECT_LT(outcome.seconds, hipsight::patience(10));
  EXPECT_THAT(outcome.err, HasSubstr("hipsight: the kernel did not end within 0.5 s; it was here\n"
                                     "  kernel      " +
                                     c.name + "(int*)\n  instruction "))
      << all;
  EXPECT_THAT(outcome.err,
              HasSubstr("\n  source      " + source_of("endless", "// " + c.marker) + "\n"))
      << all;
  EXPECT_THAT(outcome.err, HasSubstr(c.advice)) << all;
  EXPECT_THAT(outcome.err, HasSubstr("\n1 launch failed:\n  " + c.name + "(int*): timeout\n"));
}

INSTANTIATE_TEST_SUITE_P(
    Gpu, Endless,
    testing::Combine(testing::Values<std::string>("mi300x", "rx7900xtx"),
                     testing::Values<std::string>("interpret", "translate"),
                     testing::Values<std::string>("1", "100"),
                     testing::Values(Case{"loop", "endless loop", ""},
                                     Case{"barrier", "no barrier", "\n  at a barrier "},
                                     Case{"flag", "no flag", ""})),
    [](const auto& info) {
      return name_of(std::get<0>(info.param), std::get<1>(info.param),
                     std::get<3>(info.param).name + "_" + std::get<2>(info.param));
    });

// Workgroups that end within a turn, in a grid that does not; also where only a few of them are to
// run.
TEST(Endless, ShortWorkgroupsAreStopped) {
  for (const char* tier : {"interpret", "translate"}) {
    const Outcome outcome =
        hipsight_run({"--no-report", "--timeout", "0.5"}, {"endless", "tiny"}, in_tier(tier));
    EXPECT_EQ(outcome.status, 124) << describe(outcome);
    EXPECT_LT(outcome.seconds, hipsight::patience(10));
    EXPECT_THAT(outcome.err, HasSubstr("did not end within 0.5 s"));
    EXPECT_THAT(outcome.err, HasSubstr("  kernel      tiny(int*)\n"));
  }
}

// A turn of all waves would take longer than the timeout.
TEST(Endless, LongTripsAreStopped) {
  const Outcome outcome =
      hipsight_run({"--no-report", "--timeout", "0.5"}, {"endless", "trips"}, in_tier("interpret"));
  EXPECT_EQ(outcome.status, 124) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("did not end within 0.5 s"));
  EXPECT_LT(outcome.seconds, hipsight::patience(4));
}

TEST(Endless, TakesTheTimeoutFromTheEnvironment) {
  const Outcome outcome =
      hipsight_run({"--no-report"}, {"endless", "flag"}, {{"HIPSIGHT_TIMEOUT", "2"}});
  EXPECT_EQ(outcome.status, 124) << describe(outcome);
  EXPECT_GE(outcome.seconds, 2);
  EXPECT_LT(outcome.seconds, hipsight::patience(12));
}

// With fewer host threads than workgroups that wait for each other: GPU, tier, threads, program.
class Waiting : public testing::TestWithParam<
                    std::tuple<std::string, std::string, std::string, std::string>> {};

TEST_P(Waiting, Ends) {
  const auto& [gpu, tier, threads, name] = GetParam();
  const Outcome outcome = hipsight_run({"--gpu", gpu, "--threads", threads, "--no-report"},
                                       {"waiting", name}, in_tier(tier));
  EXPECT_EQ(outcome.out, "12800 of 12800\n") << describe(outcome);
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_EQ(outcome.err, "");
}

INSTANTIATE_TEST_SUITE_P(Gpu, Waiting,
                         testing::Combine(testing::Values<std::string>("mi300x", "rx7900xtx"),
                                          testing::Values<std::string>("interpret", "translate"),
                                          testing::Values<std::string>("1", "2", "8"),
                                          testing::Values<std::string>("later_workgroup", "chain",
                                                                       "grid_barrier", "lock",
                                                                       "later_wave")),
                         [](const auto& info) {
                           return name_of(std::get<0>(info.param), std::get<1>(info.param),
                                          std::get<3>(info.param) + std::string("_") +
                                              std::get<2>(info.param));
                         });

// Workgroups that only compute for long, and so make room for others, must not all be under way at
// once: the GPU has room for 4, and each has 64 KiB of LDS.
TEST(Waiting, LongWorkgroupsDoNotPileUp) {
  const Scratch scratch;
  write_file(scratch / "tiny.toml",
             "name = \"tiny\"\ntitle = \"A tiny GPU\"\nbase = \"rx7900xtx\"\n"
             "compute_units = { value = 4, source = \"a wish\" }\n");
  const Words options = {"--gpu", scratch / "tiny.toml", "--no-report"};
  const Outcome few = hipsight_run(options, {"waiting", "long_loop", "8"});
  const Outcome many = hipsight_run(options, {"waiting", "long_loop", "200"});
  EXPECT_EQ(many.out, "25600 of 25600\n") << describe(many);
  EXPECT_LT(many.memory_kib, few.memory_kib + 100 * 64);
}

}  // namespace
}  // namespace programs
