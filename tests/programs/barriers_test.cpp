// `hipsight check --tool synccheck`: planted barriers that not all come to, and their fixed twins.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run.h"

namespace programs {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class Barriers : public testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  Outcome check(const char* program, const char* threads = "1") {
    const auto& [gpu, kernel] = GetParam();
    return run({HIPSIGHT_COMMAND, "check", "--tool", "synccheck", "--gpu", gpu, "--threads",
                threads, "--", folder() / program, kernel});
  }
};

TEST_P(Barriers, planted_defect_is_found) {
  const std::string kernel = std::get<1>(GetParam());
  const Outcome outcome = check("barriers");
  EXPECT_EQ(outcome.status, 87) << describe(outcome);
  EXPECT_THAT(outcome.err,
              AnyOf(HasSubstr("synccheck: barrier that lanes of a wave pass by\n"),
                    HasSubstr("synccheck: waves of a workgroup wait at different barriers\n")));
  EXPECT_THAT(outcome.err, HasSubstr("\n  kernel      " + kernel + "("));
  // It is inlined from a header.
  EXPECT_THAT(outcome.err, names_line_near(source_of("barriers", "// of " + kernel)));
  EXPECT_EQ(check("barriers", "2").err, outcome.err);
}

TEST_P(Barriers, twin_is_silent) {
  const Outcome outcome = check("barriers_fixed");
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("synccheck: 0 findings in 1 launch"));
}

class RightBarriers : public Barriers {};

TEST_P(RightBarriers, are_silent) {
  const Outcome outcome = check("barriers");
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("synccheck: 0 findings in 1 launch"));
}

const auto gpus = testing::Values("mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt");
const auto name = [](const auto& info) {
  return fmt::format("{}_{}", std::get<0>(info.param), std::get<1>(info.param));
};
INSTANTIATE_TEST_SUITE_P(, Barriers,
                         testing::Combine(gpus, testing::Values("half", "sides", "loop", "ragged",
                                                                "by_data", "next")),
                         name);
INSTANTIATE_TEST_SUITE_P(, RightBarriers, testing::Combine(gpus, testing::Values("early", "roles")),
                         name);

}  // namespace
}  // namespace programs
