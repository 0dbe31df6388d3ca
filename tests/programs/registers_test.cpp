// What a profile says of registers and scratch, of a kernel that spills.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run.h"

namespace programs {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Registers : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Gpus, Registers, testing::Values("mi210", "mi300x", "rx7900xtx"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(Registers, AreToldOfAKernelThatSpills) {
  const Scratch scratch;
  const std::string file = scratch / "report.json";
  const Outcome outcome = hipsight_run({"--gpu", GetParam(), "-v", "--json", file}, {"spilling"},
                                       {{"HIPSIGHT_PROFILE", "4"}});
  ASSERT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("\n  registers     at most ")) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("\n  scratch       VGPRs spilled: ")) << describe(outcome);

  const json kernel = json::parse(read_file(file))["kernels"][0];
  const json& registers = kernel["registers"];
  const unsigned given = kernel["resources"]["vgprs"], agprs = kernel["resources"]["agprs"];
  // A compiler spills where it has none left.
  EXPECT_GE(registers["live_vgprs"].get<double>(), 0.9 * (given - agprs));
  EXPECT_LE(registers["live_vgprs"], given - agprs);
  EXPECT_LE(registers["live_agprs"], agprs);
  EXPECT_EQ(registers["calls"], false);
  EXPECT_THAT(registers["at"]["file"].get<std::string>(), HasSubstr("spilling.hip"));
  EXPECT_GT(registers["scratch_stores"], 50);
  EXPECT_GT(registers["scratch_loads"], 50);
  EXPECT_THAT(registers["most_scratch"]["file"].get<std::string>(), HasSubstr("spilling.hip"));
  // All that ran is in the listing.
  for (const json& row : kernel["profile"]["instructions"]) {
    ASSERT_TRUE(row.contains("live_vgprs")) << row;
    EXPECT_LE(row["live_vgprs"], registers["live_vgprs"]) << row;
  }
}

}  // namespace
}  // namespace programs
