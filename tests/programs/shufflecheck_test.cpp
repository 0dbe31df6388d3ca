// `hipsight check --tool shufflecheck`: planted shuffles of lanes that are off, and their fixed
// twins.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run.h"

namespace programs {
namespace {

using testing::HasSubstr;

class Shufflecheck : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  Outcome check(const std::string& program) {
    const auto& [gpu, planted] = GetParam();
    return run({HIPSIGHT_COMMAND, "check", "--tool", "shufflecheck", "--gpu", gpu, "--",
                folder() / program, planted});
  }
};

TEST_P(Shufflecheck, planted_defect_is_found) {
  const Outcome outcome = check("shuffles");
  EXPECT_EQ(outcome.status, 87) << describe(outcome);
  EXPECT_THAT(outcome.err,
              HasSubstr("shufflecheck: a lane reads a lane that is off, and gets 0\n"));
  EXPECT_THAT(outcome.err, HasSubstr(fmt::format("kernel      {}(", std::get<1>(GetParam()))));
}

TEST_P(Shufflecheck, twin_is_silent) {
  const Outcome outcome = check("shuffles_fixed");
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("shufflecheck: 0 findings in 1 launch"));
}

class ShufflesAmongThoseThatAreOn : public Shufflecheck {};

TEST_P(ShufflesAmongThoseThatAreOn, are_silent) {
  const Outcome outcome = check("shuffles");
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
}

const auto gpus = testing::Values("mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt");
const auto name = [](const auto& info) {
  return fmt::format("{}_{}", std::get<0>(info.param), std::get<1>(info.param));
};
INSTANTIATE_TEST_SUITE_P(Gpu, Shufflecheck,
                         testing::Combine(gpus, testing::Values("total", "neighbours", "ragged")),
                         name);
INSTANTIATE_TEST_SUITE_P(Gpu, ShufflesAmongThoseThatAreOn,
                         testing::Combine(gpus, testing::Values("among_themselves")), name);

}  // namespace
}  // namespace programs
