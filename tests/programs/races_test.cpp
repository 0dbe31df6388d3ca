// `hipsight check --tool racecheck` on planted races, and on the same kernels without them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "run.h"

namespace programs {
namespace {

using testing::HasSubstr;

struct Planted {
  const char *kernel, *words;
  int lines = 2;  ///< of the source that collide: "// 1 of KERNEL", "// 2 of KERNEL"
};
constexpr Planted all[] = {
    {"handover", "a store and a load"},  {"sum", "of two waves", 1},
    {"reuse", "a load and a store"},     {"both", "a store and a store"},
    {"broadcast", "a load and a store"}, {"histogram", "of two waves", 1},
    {"transpose", "a store and a load"}, {"stencil", "a store and a load"},
    {"bytes", "a store and a load"},     {"flag", "a load and a store"},
};

class Races : public testing::TestWithParam<std::tuple<const char*, Planted>> {
 protected:
  Outcome check(const std::string& program, const std::string& threads = "1") {
    const auto& [gpu, planted] = GetParam();
    return run({HIPSIGHT_COMMAND, "check", "--tool", "racecheck", "--gpu", gpu, "--threads",
                threads, "--", folder() / program, planted.kernel});
  }
};

TEST_P(Races, planted_defect_is_found) {
  const Planted& planted = std::get<1>(GetParam());
  const Outcome outcome = check("races");
  EXPECT_EQ(outcome.status, 87) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("racecheck: race in LDS: ")) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr(planted.words));
  for (int i = 1; i <= planted.lines; ++i)
    EXPECT_THAT(outcome.err,
                HasSubstr(source_of("races", fmt::format("// {} of {}", i, planted.kernel))));
  EXPECT_EQ(check("races", "2").err, outcome.err);
}

TEST_P(Races, twin_is_silent) {
  const Outcome outcome = check("races_fixed");
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("racecheck: 0 findings in 1 launch"));
}

INSTANTIATE_TEST_SUITE_P(
    , Races, testing::Combine(testing::Values("mi300x", "rx7900xtx"), testing::ValuesIn(all)),
    [](const auto& info) {
      return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param).kernel;
    });

}  // namespace
}  // namespace programs
