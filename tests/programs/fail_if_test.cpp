// --fail-if, of a real kernel: exit codes, and what is said.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run.h"

namespace programs {
namespace {

using testing::HasSubstr;

Outcome sgemm(const std::string& condition, Words options = {}) {
  Words command{HIPSIGHT_COMMAND, "run", "--gpu", "mi300x", "--fail-if", condition};
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"--", EXAMPLES "/sgemm"});
  return run(command);
}

TEST(FailIf, AConditionHolds) {
  const Scratch scratch;
  const Outcome outcome = sgemm("vgprs > 1 and seconds > 1 us",
                                {"--report", "none", "--json", scratch / "report.json"});
  EXPECT_EQ(outcome.status, 87) << describe(outcome);
  EXPECT_THAT(outcome.out, HasSubstr("PASS sgemm"));
  const auto report = nlohmann::json::parse(read_file(scratch / "report.json"))["kernels"][0];
  EXPECT_THAT(outcome.err,
              HasSubstr(fmt::format("fail if vgprs > 1 and seconds > 1 us: vgprs is {}, seconds is "
                                    "{:.1f} us in {}",
                                    report["resources"]["vgprs"].get<int>(),
                                    report["prediction"]["seconds"].get<double>() * 1e6,
                                    report["title"].get<std::string>())));
}

TEST(FailIf, NoConditionHolds) {
  const Outcome outcome = sgemm("vgprs > 512 or seconds > 1 s", {"--no-report"});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_EQ(outcome.err, "");
}

TEST(FailIf, WhatIsNotKnownIsMissing) {
  const Outcome outcome = sgemm("l2_hits < 99 %", {"--no-predict", "--no-report"});
  EXPECT_EQ(outcome.status, 125) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("is not known: there is no profile of it"));
  const Outcome none = sgemm("vgprs > 1", {"--no-report", "--kernel", "another"});
  EXPECT_EQ(none.status, 125) << describe(none);
}

}  // namespace
}  // namespace programs
