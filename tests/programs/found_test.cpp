// What `hipsight check` does with findings: those of hosts, suppressions, SARIF and JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run.h"

namespace programs {
namespace {

using Json = nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

Outcome check(Words options, const Words& program) {
  Words words{HIPSIGHT_COMMAND, "check"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", folder() / program[0], program[1]});
  return run(words);
}

TEST(InvalidFree, is_found_and_says_what_is_there) {
  const std::pair<const char*, const char*> cases[]{
      {"inner", "it is 100 bytes into hipMalloc #1 "},
      {"own", "it is the program's own memory \\(\\[stack\\]\\)"},
      {"twice", "it was freed: hipMalloc #1 "}};
  for (const auto& [name, words] : cases) {
    const Outcome outcome = check({}, {"host_errors", name});
    EXPECT_EQ(outcome.status, 87) << describe(outcome);
    EXPECT_THAT(
        outcome.err,
        MatchesRegex("(.|\n)*\nmemcheck: invalid free: no allocation begins at 0x[0-9a-f]+\n  " +
                     std::string(words) + "(.|\n)*"));
    EXPECT_THAT(outcome.err, HasSubstr(": 1 finding in 0 launches"));
  }
  EXPECT_EQ(check({}, {"host_errors", "right"}).status, 0);
}

TEST(Leakcheck, finds_what_is_not_freed) {
  const Outcome leak = check({"--tool", "leakcheck"}, {"host_errors", "leak"});
  EXPECT_EQ(leak.status, 87) << describe(leak);
  EXPECT_THAT(leak.err, HasSubstr("\nleakcheck: not freed: hipMalloc #1, 1000 bytes\n"));
  EXPECT_THAT(leak.err, HasSubstr("leakcheck: 1 finding in 0 launches\n"));

  const Outcome many = check({"--tool", "leakcheck"}, {"host_errors", "many"});
  EXPECT_THAT(many.err, HasSubstr("\nleakcheck: not freed: 5 more allocations, 500 bytes\n"));
  EXPECT_THAT(many.err, HasSubstr("leakcheck: 21 findings in 0 launches\n"));

  const Outcome right = check({"--tool", "leakcheck"}, {"host_errors", "right"});
  EXPECT_EQ(right.status, 0) << describe(right);
  EXPECT_EQ(check({}, {"host_errors", "leak"}).status, 0) << "nobody asked for it";
}

TEST(Suppressions, leave_out_what_they_name) {
  const Scratch scratch;
  const auto checked = [&](const std::string& lines) {
    write_file(scratch / "known.txt", lines);
    return check({"--suppress", scratch / "known.txt"}, {"races", "handover"});
  };
  const std::string place = source_of("races", "// 2 of handover");
  const std::string of_another = source_of("races", "// 1 of sum");
  for (const std::string& known :
       Words{"# known\nracecheck ^handover\n", "racecheck . races.hip\n", "racecheck . " + place}) {
    const Outcome outcome = checked(known);
    EXPECT_EQ(outcome.status, 0) << known << describe(outcome);
    EXPECT_THAT(outcome.err, HasSubstr(": 0 findings in 1 launch; 1 suppressed\n"));
  }
  for (const std::string& other : Words{"memcheck .\n", "racecheck nobody\n",
                                        "racecheck . aces.hip\n", "racecheck . " + of_another}) {
    const Outcome outcome = checked(other);
    EXPECT_EQ(outcome.status, 87) << other << describe(outcome);
    EXPECT_THAT(outcome.err, Not(HasSubstr("suppressed")));
  }
}

TEST(Suppressions, say_what_is_wrong_with_a_line_before_the_program_runs) {
  const Scratch scratch;
  const std::pair<const char*, const char*> cases[]{
      {"racecheck\n", ":1: expected TOOL KERNEL [FILE[:LINE]]"},
      {"\n\nnocheck .\n", ":3: 'nocheck' is no tool: there are memcheck, racecheck, synccheck"},
      {"racecheck . races.hip:zero\n", ":1: 'races.hip:zero' is no FILE:LINE"},
      {"racecheck . a b\n", ":1: expected TOOL KERNEL [FILE[:LINE]]"},
      {"racecheck (\n", ":1: "},
  };
  for (const auto& [lines, words] : cases) {
    write_file(scratch / "known.txt", lines);
    const Outcome outcome = check({"--suppress", scratch / "known.txt"}, {"races", "handover"});
    EXPECT_EQ(outcome.status, 125) << describe(outcome);
    EXPECT_THAT(outcome.err, HasSubstr("known.txt" + std::string(words)));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(Findings, are_values_in_json_and_sarif) {
  const Scratch scratch;
  const Outcome outcome =
      check({"--json", scratch / "found.json", "--sarif", scratch / "found.sarif"},
            {"races", "handover"});
  EXPECT_EQ(outcome.status, 87) << describe(outcome);

  const Json report = Json::parse(read_file(scratch / "found.json"));
  ASSERT_EQ(report["findings"].size(), 1u);
  const Json& one = report["findings"][0];
  EXPECT_EQ(one["tool"], "racecheck");
  EXPECT_THAT(one["kernel"].get<std::string>(), HasSubstr("handover("));
  const auto place = [](const Json& at) {
    return at["file"].get<std::string>() + ":" + std::to_string(at["line"].get<int>());
  };
  EXPECT_THAT(place(one["at"]), EndsWith(source_of("races", "// 1 of handover")));
  EXPECT_THAT(place(one["other"]), EndsWith(source_of("races", "// 2 of handover")));
  EXPECT_EQ(report["suppressed"], 0);

  const Json sarif = Json::parse(read_file(scratch / "found.sarif"));
  EXPECT_EQ(sarif["version"], "2.1.0");
  const Json& result = sarif["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "racecheck");
  const auto region = [](const Json& location) {
    const Json& physical = location["physicalLocation"];
    return physical["artifactLocation"]["uri"].get<std::string>() + ":" +
           std::to_string(physical["region"]["startLine"].get<int>());
  };
  EXPECT_EQ(region(result["locations"][0]), place(one["at"]));
  EXPECT_EQ(region(result["relatedLocations"][0]), place(one["other"]));
}

}  // namespace
}  // namespace programs
