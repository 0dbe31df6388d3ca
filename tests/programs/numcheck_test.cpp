// `hipsight check --tool numcheck`: planted NaNs and infinities, and their fixed twins.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run.h"

namespace programs {
namespace {

using testing::HasSubstr;

struct Planted {
  const char *name, *what;
};
constexpr Planted all[] = {
    {"root", "NaN is born, and stored"},
    {"quotient", "NaN is born, and stored"},
    {"difference", "NaN is born, and stored"},
    {"power", "infinity is born of numbers, and stored"},
    {"narrow", "infinity is born of numbers, and stored"},
    {"wide", "infinity is born of numbers, and stored"},
    {"sum", "infinity is born of numbers, and stored"},
    {"passed", "a kernel stores what it has loaded: NaN"},
};

class Numcheck : public testing::TestWithParam<std::tuple<const char*, Planted>> {
 protected:
  Outcome check(const std::string& program) {
    const auto& [gpu, planted] = GetParam();
    return run({HIPSIGHT_COMMAND, "check", "--tool", "numcheck", "--gpu", gpu, "--",
                folder() / program, planted.name});
  }
};

TEST_P(Numcheck, planted_defect_is_found) {
  const auto& [gpu, planted] = GetParam();
  const Outcome outcome = check("numbers");
  EXPECT_EQ(outcome.status, 87) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr(fmt::format("numcheck: {}\n", planted.what)));
  // Functions are inlined from headers.
  EXPECT_THAT(outcome.err,
              names_line_near(source_of("numbers", fmt::format("// of {}", planted.name))));
}

TEST_P(Numcheck, twin_is_silent) {
  const Outcome outcome = check("numbers_fixed");
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("numcheck: 0 findings in 1 launch"));
}

class MaskedNumbers : public Numcheck {};

TEST_P(MaskedNumbers, are_silent) {
  const Outcome outcome = check("numbers");
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
}

const auto gpus = testing::Values("mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt");
const auto name = [](const auto& info) {
  return fmt::format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).name);
};
INSTANTIATE_TEST_SUITE_P(, Numcheck, testing::Combine(gpus, testing::ValuesIn(all)), name);
INSTANTIATE_TEST_SUITE_P(, MaskedNumbers,
                         testing::Combine(gpus, testing::Values(Planted{"masked", ""})), name);

}  // namespace
}  // namespace programs
