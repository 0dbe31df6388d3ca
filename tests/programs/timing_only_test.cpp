// What --timing-only leaves out, and what it says of that.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run.h"

namespace programs {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct TimingOnly : testing::TestWithParam<const char*> {
  /// What the program printed, and its report.
  std::pair<std::string, nlohmann::json> run(std::vector<std::string> options) {
    const std::string json = scratch_ / "report.json";
    options.insert(options.end(), {"--gpu", GetParam(), "--json", json});
    const Outcome outcome = hipsight_run(options, {"timing_only"});
    EXPECT_EQ(outcome.status, 0) << describe(outcome);
    return {outcome.out.substr(0, outcome.out.find('-')), nlohmann::json::parse(read_file(json))};
  }
  Scratch scratch_;
};

TEST_P(TimingOnly, TellsTheSameTimesWhereTheHostDecides) {
  const auto [usual, usual_report] = run({"--no-report"});
  const auto [quick, report] = run({"--timing-only"});
  std::istringstream in(quick), usual_in(usual);
  std::string name, usual_name;
  double time = 0, usual_time = 0;
  std::vector<double> times;
  while (in >> name >> time && usual_in >> usual_name >> usual_time) {
    EXPECT_EQ(name, usual_name);
    // Where arguments stay and work changes, a run that counts scales the time before.
    EXPECT_NEAR(time, usual_time, 0.1 * usual_time) << name;
    times.push_back(time);
  }
  ASSERT_EQ(times.size(), 6u);
  EXPECT_GT(times[1], 1.3 * times[0]);
  EXPECT_DOUBLE_EQ(times[2], times[1]);
  EXPECT_DOUBLE_EQ(times[3], times[0]);
}

TEST_P(TimingOnly, CountsAllOfALaunchAndEachOfThem) {
  const auto [usual, all] = run({});
  const auto [quick, sampled] = run({"--timing-only"});
  const auto of = [](const nlohmann::json& report) {
    std::map<std::string, nlohmann::json> figures;
    for (const auto& kernel : report["kernels"])
      for (const char* figure : {"launches", "workgroups", "waves", "instructions", "bytes"})
        // One launch of this goes by a count that is missing.
        if (kernel["name"] != "_Z6repeatPKiPf" || figure != std::string("instructions"))
          figures[kernel["name"].get<std::string>() + " " + figure] = kernel.at(figure);
    return figures;
  };
  EXPECT_EQ(of(sampled), of(all));
  EXPECT_EQ(of(all).size(), 4 * 5 - 1u);
}

TEST_P(TimingOnly, NamesWhatGoesByMissingResults) {
  const auto [printed, report] = run({"--timing-only"});
  EXPECT_TRUE(report["timing_only"].get<bool>());
  EXPECT_EQ(report["missing_results"], 1);
  ASSERT_EQ(report["estimated"].size(), 2u) << report["estimated"].dump(1);
  for (const auto& one : report["estimated"]) {
    EXPECT_EQ(one["launches"], 1);
    EXPECT_THAT(one["why"].get<std::string>(), HasSubstr("timing_only.hip:"));
    EXPECT_THAT(one["why"].get<std::string>(), HasSubstr("in hipMalloc #2"));
  }
  EXPECT_THAT(report["estimated"][0]["kernel"].get<std::string>(), StartsWith("gather("));
  EXPECT_THAT(report["estimated"][1]["kernel"].get<std::string>(), StartsWith("repeat("));
}

INSTANTIATE_TEST_SUITE_P(Gpus, TimingOnly, testing::Values("mi300x", "rx7900xtx"));

}  // namespace
}  // namespace programs
