// A program's own clocks under --host-clock: they go by the GPU's.
#include <gmock/gmock.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run.h"

namespace programs {
namespace {

using Times = std::map<std::string, double>;

Times times_in(const std::string& out) {
  Times times;
  std::istringstream in(out);
  std::string name;
  for (double value = 0; in >> name >> value;) times[name] = value;
  EXPECT_EQ(times.size(), 13u) << out;
  return times;
}

TEST(OwnClocks, TellTheGpusTime) {
  const Scratch scratch;
  const std::string json = scratch / "report.json";
  const Outcome outcome =
      hipsight_run({"--gpu", "mi300x", "--host-clock", "--json", json}, {"own_clocks"});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  const Times times = times_in(outcome.out);
  const auto report = nlohmann::json::parse(read_file(json));
  const double kernel = report["kernels"][0]["prediction"]["seconds"].get<double>() * 1e6;
  // The first of them comes 2 us after the call.
  EXPECT_NEAR(times.at("kernels"), 100 * kernel, 5);
  EXPECT_NEAR(times.at("thread"), 100 * kernel, 5);
  EXPECT_LT(times.at("nothing"), 0.1);
  EXPECT_EQ(times.at("notified"), 1);
  for (const char* wait :
       {"sleep", "usleep", "poll", "condition", "day's", "spin", "gettimeofday"}) {
    EXPECT_GE(times.at(wait), 5000 - 1) << wait;
    EXPECT_LT(times.at(wait), 5002) << wait;
  }
}

TEST(OwnClocks, TheSameOnEveryHost) {
  const auto run = [](const std::string& threads, const std::string& engine) {
    return hipsight_run({"--host-clock", "--no-report", "--time", "predicted", "--threads", threads,
                         "--engine", engine},
                        {"own_clocks"})
        .out;
  };
  const std::string once = run("1", "interpret");
  EXPECT_NE(once, "");
  EXPECT_EQ(run("2", "auto"), once);
}

TEST(OwnClocks, TheDayIsToday) {
  const Outcome outcome = hipsight_run({"--host-clock"}, {"own_clocks"});
  const std::time_t now = std::time(nullptr);
  EXPECT_EQ(times_in(outcome.out).at("year"), 1900 + std::gmtime(&now)->tm_year);
}

TEST(OwnClocks, WithoutTheyTellTheMachines) {
  const Times times = times_in(hipsight_run({"--no-report"}, {"own_clocks"}).out);
  EXPECT_GT(times.at("kernels"), 1000);  // a hundred megabytes: no GPU's time
}

TEST(OwnClocks, NeedTheGpusClock) {
  const Outcome outcome = hipsight_run({"--host-clock", "--time", "emulated"}, {"own_clocks"});
  EXPECT_EQ(outcome.status, 125);
  EXPECT_THAT(outcome.err, testing::HasSubstr("--time predicted"));
}

}  // namespace
}  // namespace programs
