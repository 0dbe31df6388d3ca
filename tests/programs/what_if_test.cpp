// What-ifs of a real kernel, against runs on GPU files with those numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run.h"

namespace programs {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* sgemm = EXAMPLES "/sgemm";

/// The report's first kernel.
json predicted(const std::string& gpu, const Words& what_ifs) {
  const Scratch scratch;
  Words command{HIPSIGHT_COMMAND, "predict", "--gpu",  gpu,
                "--report",       "none",    "--json", scratch / "report.json"};
  for (const std::string& one : what_ifs) command.insert(command.end(), {"--what-if", one});
  command.insert(command.end(), {"--", sgemm});
  const Outcome outcome = run(command);
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  return json::parse(read_file(scratch / "report.json"))["kernels"][0];
}

struct Case {
  std::string gpu, what_if, numbers;
};
class WhatIf : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Of, WhatIf,
    testing::Values(Case{"mi300x", "compute-units=8", "compute_units = { value = 8"},
                    Case{"rx7900xtx", "compute-units=24", "compute_units = { value = 24"},
                    Case{"mi300x", "l1=4K", "l1_bytes_per_cu = { value = 4096"},
                    Case{"rx7900xtx", "memory-bandwidth=96", "dram_gb_per_s = { value = 96"}),
    [](const auto& info) {
      std::string name = info.param.gpu + "_" + info.param.what_if;
      std::ranges::replace_if(name, [](unsigned char c) { return !std::isalnum(c); }, '_');
      return name;
    });

TEST_P(WhatIf, IsWhatThatGpuTakes) {
  const auto& [gpu, what_if, numbers] = GetParam();
  const Scratch scratch;
  const std::string other = scratch / "other.toml";
  write_file(other, "name = \"other\"\nbase = \"" + gpu + "\"\n" + numbers +
                        ", source = \"this test\" }\n");
  const json now = predicted(gpu, {what_if}), there = predicted(other, {});
  const json& told = now["verdict"]["what_if"][0];
  EXPECT_EQ(told["change"], what_if);
  EXPECT_EQ(told["why_none"], nullptr);
  const double then = there["prediction"]["seconds"];
  // Where compute units are others, other workgroups are beside each other.
  EXPECT_NEAR(told["seconds"].get<double>(), then, 0.03 * then)
      << "now " << now["prediction"]["seconds"];
  EXPECT_NEAR(told["gain"].get<double>(),
              1 - told["seconds"].get<double>() / now["prediction"]["seconds"].get<double>(), 1e-9);
}

TEST(WhatIfs, AreToldAndWrittenAsATable) {
  const Scratch scratch;
  const std::string table = scratch / "table.csv";
  const Outcome outcome =
      run({HIPSIGHT_COMMAND, "run", "--csv", table, "--svg", scratch / "curve.svg", "--what-if",
           "clock=1.0,2.0", "--what-if", "lds=1K", "--", sgemm});
  ASSERT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("\n  what if       now        "));
  EXPECT_THAT(outcome.err, HasSubstr("\n                clock=1.0  "));
  EXPECT_THAT(outcome.err, HasSubstr("not one workgroup fits"));
  std::istringstream lines(read_file(table));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  ASSERT_EQ(all.size(), 5u) << read_file(table);
  EXPECT_EQ(all[0], "kernel,range,change,seconds,gain,bound,why_none");
  EXPECT_THAT(all[1], testing::StartsWith("\"sgemm("));
  EXPECT_THAT(all[2], HasSubstr("\",,clock=1.0,"));
  EXPECT_THAT(all[4], HasSubstr("\",,lds=1K,,,,\"not one workgroup fits"));
  const std::string drawn = read_file(scratch / "curve.svg");
  EXPECT_THAT(drawn, testing::StartsWith("<svg "));
  EXPECT_THAT(drawn, HasSubstr("<title>clock=2.0: "));
}

TEST(WhatIfs, ThatMakeNoSenseStopBeforeTheProgram) {
  const auto stops = [](const Words& options, const std::string& why) {
    Words command{HIPSIGHT_COMMAND, "run"};
    command.insert(command.end(), options.begin(), options.end());
    command.insert(command.end(), {"--", sgemm});
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.status, 125);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(why));
  };
  stops({"--what-if", "clocks=1"}, "what if 'clocks'? There are: clock, ");
  stops({"--what-if", "clock"}, "clock=GHZ");
  stops({"--what-if", "clock=1", "--no-predict"}, "nothing is predicted");
  stops({"--what-if", "clock="}, "it takes NAME");
  stops({"--csv", "table.csv"}, "requires --what-if");
}

}  // namespace
}  // namespace programs
