// What HIP's events tell under --time predicted: the GPU's time, the same on every host.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run.h"

namespace programs {
namespace {

using Times = std::map<std::string, double>;

Times times_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  Times times;
  std::istringstream in(outcome.out);
  std::string name;
  for (double value = 0; in >> name >> value;) times[name] = value;
  EXPECT_EQ(times.size(), 6u) << outcome.out;
  return times;
}

TEST(Timed, EventsTellThePredictedTime) {
  const Scratch scratch;
  const std::string json = scratch / "report.json";
  const Outcome outcome =
      hipsight_run({"--gpu", "mi300x", "--time", "predicted", "--json", json}, {"timed"});
  const Times times = times_of(outcome);
  const auto report = nlohmann::json::parse(read_file(json));
  const double kernel = report["kernels"][0]["prediction"]["seconds"].get<double>() * 1e6;
  // The launch comes 2 us of the host after the event before it, when nothing else is in the
  // stream.
  EXPECT_NEAR(times.at("kernel"), kernel, 2.5);
  EXPECT_GE(times.at("kernel"), kernel);
  EXPECT_DOUBLE_EQ(times.at("again"), times.at("kernel"));
  // In a row, a kernel begins when the one before has ended.
  EXPECT_NEAR(times.at("each"), kernel, 0.1);
  EXPECT_NEAR(times.at("after"), 2 * kernel, 5);
  // 4 MiB over PCIe 5.
  EXPECT_GT(times.at("copy"), (1 << 22) / 63e3);
  EXPECT_LT(times.at("copy"), 2 * (1 << 22) / 63e3);
  EXPECT_TRUE(report["estimated"].empty());
}

TEST(Timed, TheSameOnEveryHost) {
  const auto run = [](const std::string& threads, const std::string& engine) {
    return hipsight_run(
               {"--time", "predicted", "--no-report", "--threads", threads, "--engine", engine},
               {"timed"})
        .out;
  };
  const std::string once = run("1", "interpret");
  EXPECT_NE(once, "");
  EXPECT_EQ(run("2", "interpret"), once);
  EXPECT_EQ(run("2", "auto"), once);
}

TEST(Timed, TimelineHasEachOperationOfEachStream) {
  const Scratch scratch;
  const auto timeline = [&](const std::string& threads) {
    const std::string json = scratch / "report.json", trace = scratch / "trace.json";
    const Outcome outcome = run({HIPSIGHT_COMMAND, "timeline", "--gpu", "mi300x", "--threads",
                                 threads, "-o", trace, "--json", json, "--", folder() / "timed"});
    EXPECT_EQ(outcome.status, 0) << describe(outcome);
    EXPECT_THAT(outcome.err, testing::HasSubstr(" on the GPU's clock: kernels "));
    EXPECT_THAT(outcome.err, testing::HasSubstr("105  fill(float*, int, float)\n"));
    return std::pair(nlohmann::json::parse(read_file(json))["timeline"],
                     nlohmann::json::parse(read_file(trace)));
  };
  const auto [report, trace] = timeline("1");
  // By stream: operations come one after another, and within the whole.
  std::map<int, double> ends;
  int kernels = 0, copies = 0;
  for (const auto& one : report["operations"]) {
    kernels += one["kind"] == "kernel";
    copies += one["kind"] == "copy";
    EXPECT_GE(one["begin"].get<double>(), ends[one["stream"]]);
    EXPECT_GE(one["begin"].get<double>(), one["submitted"].get<double>());
    ends[one["stream"]] = one["end"];
    EXPECT_LE(one["end"].get<double>(), report["seconds"].get<double>());
  }
  EXPECT_EQ(kernels, 105);
  EXPECT_EQ(copies, 1);
  EXPECT_EQ(ends.size(), 2u);
  int shown = 0;
  for (const auto& event : trace["traceEvents"]) shown += event["ph"] == "X";
  EXPECT_EQ(shown, int(report["operations"].size() + report["waits"].size()));
  EXPECT_EQ(timeline("2").first, report);
}

TEST(Timed, OtherwiseTheyTellTheEmulation) {
  const Times times = times_of(hipsight_run({"--no-report"}, {"timed"}));
  EXPECT_GT(times.at("each"), 20);  // of a megabyte that one core writes: no GPU's time
}

TEST(Timed, RefusesOtherClocks) {
  const Outcome outcome = hipsight_run({"--time", "real"}, {"timed"});
  EXPECT_EQ(outcome.status, 125);
  EXPECT_THAT(outcome.err, testing::HasSubstr("predicted"));
}

}  // namespace
}  // namespace programs
