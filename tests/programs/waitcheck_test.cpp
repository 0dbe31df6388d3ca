// `hipsight check --tool waitcheck`: planted uses before the wait, and their fixed twins. What the
// compiler makes must be silent: it knows the rules, too.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run.h"

namespace programs {
namespace {

using testing::HasSubstr;

struct Planted {
  const char *name, *what, *gfx9, *gfx11, *gfx12;  ///< the wait that is missing
};
constexpr const char *no_loads = "s_waitcnt vmcnt(0)", *no_lds = "s_waitcnt lgkmcnt(0)";
constexpr Planted all[] = {
    {"none", "read", no_loads, no_loads, "s_wait_loadcnt 0x0"},
    {"first", "read", no_loads, no_loads, "s_wait_loadcnt 0x0"},
    {"counter", "read", no_lds, no_lds, "s_wait_dscnt 0x0"},
    {"scalar", "read", no_lds, no_lds, "s_wait_kmcnt 0x0"},
    {"overwrites", "overwritten", no_loads, no_loads, "s_wait_loadcnt 0x0"},
    {"flat", "read", no_lds, no_lds, "s_wait_dscnt 0x0"},
    {"branch", "read", no_loads, no_loads, "s_wait_loadcnt 0x0"},
    {"address", "read", no_loads, no_loads, "s_wait_loadcnt 0x0"},
};

class Waitcheck : public testing::TestWithParam<std::tuple<const char*, Planted>> {
 protected:
  Outcome check(const std::string& program) {
    const auto& [gpu, planted] = GetParam();
    return run({HIPSIGHT_COMMAND, "check", "--tool", "waitcheck", "--gpu", gpu, "--",
                folder() / program, planted.name});
  }
};

TEST_P(Waitcheck, planted_defect_is_found) {
  const auto& [gpu, planted] = GetParam();
  const Outcome outcome = check("waits");
  EXPECT_EQ(outcome.status, 87) << describe(outcome);
  EXPECT_THAT(outcome.err,
              HasSubstr(fmt::format("waitcheck: a register is {} before", planted.what)));
  const std::string name = gpu;
  const char* const wait = name == "rx7900xtx"  ? planted.gfx11
                           : name == "rx9070xt" ? planted.gfx12
                                                : planted.gfx9;
  EXPECT_THAT(outcome.err, HasSubstr(fmt::format("\n  missing     {}, or less", wait)))
      << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("waitcheck: 1 finding in 1 launch"));
}

TEST_P(Waitcheck, twin_is_silent) {
  const Outcome outcome = check("waits_fixed");
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("waitcheck: 0 findings in 1 launch"));
}

const auto gpus = testing::Values("mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt");
INSTANTIATE_TEST_SUITE_P(, Waitcheck, testing::Combine(gpus, testing::ValuesIn(all)),
                         [](const auto& info) {
                           return fmt::format("{}_{}", std::get<0>(info.param),
                                              std::get<1>(info.param).name);
                         });

class CompiledWaits : public testing::TestWithParam<const char*> {};

TEST_P(CompiledWaits, are_right) {
  for (const char* example : {"sgemm", "gemm", "flash_attention", "softmax", "scan", "reduction",
                              "histogram", "transpose", "streams"}) {
    const Outcome outcome = run({HIPSIGHT_COMMAND, "check", "--tool", "waitcheck", "--gpu",
                                 GetParam(), "--", std::filesystem::path(EXAMPLES) / example});
    EXPECT_EQ(outcome.status, 0) << describe(outcome);
    EXPECT_THAT(outcome.err, HasSubstr("waitcheck: 0 findings in "));
  }
}

INSTANTIATE_TEST_SUITE_P(, CompiledWaits, gpus);

}  // namespace
}  // namespace programs
