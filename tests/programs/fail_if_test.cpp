// --fail-if, of a real kernel: exit codes, and what is said.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
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

/// A suite of one program, which is recorded, kept, and then another one.
TEST(Kpi, FailsWhenAKernelGetsWorse) {
  const Scratch scratch;
  const auto write = [&](const std::string& program, const std::string& more = "") {
    std::ofstream(scratch / "kpi.toml") << "[[case]]\nname = \"it\"\nprogram = [\"" << program
                                        << "\", \"handover\"]\ngpus = [\"mi300x\", \"rx7900xtx\"]\n"
                                        << "may_worsen = { instructions = 0 }\n"
                                        << more;
  };
  const auto kpi = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {HIPSIGHT_COMMAND, "kpi"});
    return run(words);
  };
  const std::string suite = scratch / "kpi.toml", junit = scratch / "kpi.xml";
  write(folder() / "races");
  EXPECT_EQ(kpi({"check", suite}).status, 125);  // nothing is recorded
  EXPECT_EQ(kpi({"record", suite}).status, 0);
  const std::string recorded = read_file(scratch / "kpi.json");
  const Outcome same = kpi({"check", suite, "--threads", "1"});
  EXPECT_EQ(same.status, 0) << describe(same);
  EXPECT_THAT(same.out, HasSubstr("2 kernels: 0 differ, 0 fail"));
  write(folder() / "races_fixed");  // it has a barrier more
  const Outcome worse = kpi({"check", suite, "--junit", junit});
  EXPECT_EQ(worse.status, 87) << describe(worse);
  EXPECT_THAT(worse.out, HasSubstr("  worse: instructions: "));
  EXPECT_THAT(read_file(junit), HasSubstr("failures=\"2\""));
  EXPECT_EQ(read_file(scratch / "kpi.json"), recorded);
  EXPECT_EQ(kpi({"record", suite}).status, 0);
  EXPECT_EQ(kpi({"check", suite}).status, 0);
  write(folder() / "races_fixed", "must = \"vgprs < 2\"\n");
  EXPECT_THAT(kpi({"check", suite}).out, HasSubstr("not vgprs < 2: vgprs is "));
  write("no/such/program");
  EXPECT_THAT(kpi({"check", suite}).err, HasSubstr("it on mi300x: exit code 127"));
}

}  // namespace
}  // namespace programs
