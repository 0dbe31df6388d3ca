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
  const char *program = "races", *where = "LDS";
};
constexpr Planted all[] = {
    {"handover", "a store and a load"},  {"sum", "of two waves", 1},
    {"reuse", "a load and a store"},     {"both", "a store and a store"},
    {"broadcast", "a load and a store"}, {"histogram", "of two waves", 1},
    {"transpose", "a store and a load"}, {"stencil", "a store and a load"},
    {"bytes", "a store and a load"},     {"flag", "a load and a store"},
};
constexpr Planted global(const char* kernel, const char* words, int lines = 2) {
  return {kernel, words, lines, "global_races", "global memory"};
}
constexpr Planted all_global[] = {
    global("handover", "of two waves, with no barrier between"),
    global("neighbour", "of two workgroups, with nothing that orders them"),
    global("bins", "of two w", 1),
    global("overlap", "a store and a store of two workgroups", 1),
    global("last_one", "a store and a load of two workgroups"),
    global("no_acquire", "a store and a load of two workgroups"),
    global("chain", "of two workgroups"),
    global("halves", "a store and a store of two workgroups", 1),
    global("list", "an atomic and a load of two w", 1),
    global("in_place", "a load and a store of two w"),
};
constexpr Planted harmless[] = {
    global("same_value", ""),
    global("lock", ""),
    global("ring", ""),
};

class Races : public testing::TestWithParam<std::tuple<const char*, Planted>> {
 protected:
  Outcome check(const std::string& version = "", const std::string& threads = "1") {
    const auto& [gpu, planted] = GetParam();
    const std::string program = planted.program + version;
    return run({HIPSIGHT_COMMAND, "check", "--tool", "racecheck", "--gpu", gpu, "--threads",
                threads, "--", folder() / program, planted.kernel});
  }
};

TEST_P(Races, planted_defect_is_found) {
  const Planted& planted = std::get<1>(GetParam());
  const Outcome outcome = check();
  EXPECT_EQ(outcome.status, 87) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr(fmt::format("racecheck: race in {}: ", planted.where)))
      << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr(planted.words));
  for (int i = 1; i <= planted.lines; ++i)
    EXPECT_THAT(outcome.err, HasSubstr(source_of(planted.program,
                                                 fmt::format("// {} of {}", i, planted.kernel))));
  EXPECT_EQ(check("", "2").err, outcome.err);
}

TEST_P(Races, twin_is_silent) {
  const Outcome outcome = check("_fixed");
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("racecheck: 0 findings in 1 launch"));
}

const auto gpus = testing::Values("mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt");
const auto name = [](const auto& info) {
  return std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param).kernel;
};
INSTANTIATE_TEST_SUITE_P(, Races, testing::Combine(gpus, testing::ValuesIn(all)), name);
INSTANTIATE_TEST_SUITE_P(Global, Races, testing::Combine(gpus, testing::ValuesIn(all_global)),
                         name);

class HarmlessRaces : public Races {};

TEST_P(HarmlessRaces, are_silent) {
  const Outcome outcome = check();
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("racecheck: 0 findings in 1 launch"));
}

INSTANTIATE_TEST_SUITE_P(Global, HarmlessRaces, testing::Combine(gpus, testing::ValuesIn(harmless)),
                         name);

}  // namespace
}  // namespace programs
