// `hipsight check --tool initcheck`: planted reads of what nobody wrote, and their fixed twins.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run.h"

namespace programs {
namespace {

using testing::HasSubstr;

struct Planted {
  const char *name, *marker, *reads;
};
constexpr Planted all[] = {
    {"total", "// of total", "of hipMalloc #1"},
    {"copied", "// of total", "of hipMalloc #2"},
    {"count", "// of count", "of hipMalloc #2"},
    {"reduce", "// of reduce", "of LDS"},
    {"own", "// of own", "registers or scratch"},
    {"flag", "// of flag", "byte 0 of hipMalloc #3"},
    {"scatter", "// of scatter", "hipMalloc #3"},
    {"chain", "// of chain", "byte 4 of hipMalloc #1"},
    {"pool", "// of total", "of hipMallocAsync"},
};

class Initcheck : public testing::TestWithParam<std::tuple<const char*, Planted>> {
 protected:
  Outcome check(const std::string& program) {
    const auto& [gpu, planted] = GetParam();
    return run({HIPSIGHT_COMMAND, "check", "--tool", "initcheck", "--gpu", gpu, "--",
                folder() / program, planted.name});
  }
};

TEST_P(Initcheck, planted_defect_is_found) {
  const auto& [gpu, planted] = GetParam();
  const Outcome outcome = check("uninit");
  EXPECT_EQ(outcome.status, 87) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("initcheck: what is stored hangs on what nobody wrote\n"));
  EXPECT_THAT(outcome.err, HasSubstr(source_of("uninit", planted.marker))) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(planted.reads));
  // What it computes is what it computes alone.
  EXPECT_EQ(outcome.out, run({HIPSIGHT_COMMAND, "run", "--no-report", "--gpu", gpu, "--",
                              folder() / "uninit", planted.name})
                             .out);
}

TEST_P(Initcheck, twin_is_silent) {
  const Outcome outcome = check("uninit_fixed");
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("initcheck: 0 findings in "));
}

class Masked : public Initcheck {};

TEST_P(Masked, is_silent) {
  const Outcome outcome = check("uninit");
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("initcheck: 0 findings in "));
}

const auto gpus = testing::Values("mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt");
const auto name = [](const auto& info) {
  return fmt::format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).name);
};
INSTANTIATE_TEST_SUITE_P(, Initcheck, testing::Combine(gpus, testing::ValuesIn(all)), name);
INSTANTIATE_TEST_SUITE_P(, Masked,
                         testing::Combine(gpus, testing::Values(Planted{"masked", "", ""})), name);

}  // namespace
}  // namespace programs
