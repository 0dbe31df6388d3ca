// `hipsight capture` and `hipsight replay`: a launch of a whole program, run again in another
// process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "run.h"

namespace programs {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Outcome capture(const fs::path& file, const Words& options, const Words& program) {
  Words command = {HIPSIGHT_COMMAND, "capture", "-o", file};
  command.insert(command.end(), options.begin(), options.end());
  command.emplace_back("--");
  command.push_back(folder() / program[0]);
  command.insert(command.end(), program.begin() + 1, program.end());
  return run(command);
}

Outcome replay(const fs::path& file, const Words& options = {}) {
  Words command = {HIPSIGHT_COMMAND, "replay", file};
  command.insert(command.end(), options.begin(), options.end());
  return run(command);
}

struct Case {
  std::string name, gpu;
  Words options, program;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

const std::string examples = EXAMPLES;

class Captured : public testing::TestWithParam<Case> {};

// Sums of floats by atomics depend on their order: `reduction` shows that it is kept.
const Case cases[] = {
    {"sgemm", "mi300x", {}, {examples + "/sgemm", "130", "70", "50"}},
    {"reduction", "mi300x", {"--kernel", "reduce"}, {examples + "/reduction", "100003"}},
    {"scan_wave32", "rx7900xtx", {}, {examples + "/scan", "50000"}},
    {"second_stream", "mi210", {"--kernel", "add_up", "--launch", "1"}, {examples + "/streams"}},
    {"malloc", "mi300x", {}, {"kernel_calls", "malloc"}},
    {"free_of_another_launch", "rx7900xtx", {"--launch", "2"}, {"kernel_calls", "malloc"}},
};

TEST_P(Captured, RunsAgainBitForBit) {
  const Scratch scratch;
  const Case& c = GetParam();
  Words options = c.options;
  options.insert(options.end(), {"--gpu", c.gpu});
  const Outcome recorded = capture(scratch / "x.hsc", options, c.program);
  ASSERT_EQ(recorded.status, 0) << describe(recorded);
  EXPECT_THAT(recorded.out, testing::AnyOf(HasSubstr("PASS "), "0 wrong\n")) << describe(recorded);

  const Outcome first = replay(scratch / "x.hsc", {"--no-report", "--dump", "-"});
  const Outcome second = replay(scratch / "x.hsc", {"--dump", "-"});
  EXPECT_EQ(first.status, 0) << describe(first);
  EXPECT_THAT(first.err, HasSubstr("memory is as after the captured launch: "));
  EXPECT_THAT(first.err, Not(HasSubstr("emulated")));
  EXPECT_THAT(second.err, HasSubstr("emulated"));
  EXPECT_EQ(first.out, second.out);
  EXPECT_THAT(first.out, HasSubstr("hipMalloc #")) << first.out;
}

INSTANTIATE_TEST_SUITE_P(Programs, Captured, testing::ValuesIn(cases),
                         [](const auto& test) { return test.param.name; });

// The report of a launch and of its replay, but for the time that they took.
TEST(Captured, PrintsAgain) {
  const Scratch scratch;
  for (const char* program : {"kernel_calls", "kernel_calls_buffered"}) {
    const Outcome recorded = capture(scratch / "x.hsc", {}, {program, "many"});
    ASSERT_EQ(recorded.status, 0) << describe(recorded);
    const Outcome again = replay(scratch / "x.hsc", {"--no-report"});
    EXPECT_EQ(again.status, 0) << describe(again);
    EXPECT_GT(recorded.out.size(), 100'000u);
    EXPECT_TRUE(again.out == recorded.out) << again.out.substr(0, 300);
  }
}

TEST(Captured, IsReportedAsInTheProgram) {
  const Scratch scratch;
  const Words program = {examples + "/streams", "1000"},
              second = {"--kernel", "square", "--launch", "2"};
  Words options = second;
  options.insert(options.end(), {"--no-report", "--no-predict", "--json", scratch / "run.json"});
  hipsight_run(options, program);
  capture(scratch / "x.hsc", second, program);
  replay(scratch / "x.hsc", {"--no-predict", "--json", scratch / "replay.json"});
  const auto kernel = [&](const char* file) {
    auto json = nlohmann::json::parse(read_file(scratch / file)).at("kernels").at(0);
    json.erase("host_seconds");
    return json;
  };
  EXPECT_EQ(kernel("run.json").at("launches"), 1);
  EXPECT_EQ(kernel("run.json"), kernel("replay.json"));
}

TEST(Captured, FailsAgainInTheSameWay) {
  const Scratch scratch;
  const Outcome recorded = capture(scratch / "x.hsc", {}, {"stray", "null"});
  EXPECT_EQ(recorded.status, 86) << describe(recorded);
  const Outcome again = replay(scratch / "x.hsc");
  EXPECT_EQ(again.status, 86) << describe(again);
  EXPECT_THAT(again.err, HasSubstr("it is the null pointer"));
  EXPECT_THAT(again.err, HasSubstr("the captured launch failed in the same way"))
      << describe(again);
}

TEST(Captured, IsStoppedInTime) {
  const Scratch scratch;
  capture(scratch / "x.hsc", {"--timeout", "0.1"}, {"endless", "flag"});
  const Outcome again = replay(scratch / "x.hsc", {"--timeout", "0.1"});
  EXPECT_EQ(again.status, 124) << describe(again);
}

TEST(Captured, NeedsALaunch) {
  const Scratch scratch;
  const Outcome late = capture(scratch / "x.hsc", {"--launch", "7"}, {"greeting"});
  EXPECT_EQ(late.status, 125);
  EXPECT_THAT(late.err, HasSubstr("nothing is captured: only launch 7 of all kernels; the program "
                                  "made 1 launch in all"))
      << describe(late);
  EXPECT_FALSE(fs::exists(scratch / "x.hsc"));
  const Outcome unwritable = capture("/no/such/folder/x.hsc", {}, {"greeting"});
  EXPECT_EQ(unwritable.status, 125);
  EXPECT_THAT(unwritable.err, HasSubstr("cannot write '/no/such/folder/x.hsc'"));
}

TEST(Replayed, OnAnotherGpuThatRunsTheCode) {
  const Scratch scratch;
  capture(scratch / "x.hsc", {}, {"greeting"});
  const Outcome same_code = replay(scratch / "x.hsc", {"--gpu", "mi308x"});
  EXPECT_EQ(same_code.status, 0) << describe(same_code);
  EXPECT_THAT(same_code.err, HasSubstr("AMD Instinct MI308X (mi308x, "));
  const Outcome other = replay(scratch / "x.hsc", {"--gpu", "rx7900xtx"});
  EXPECT_EQ(other.status, 125);
  EXPECT_THAT(other.err, ContainsRegex("its code is for gfx942.*, which does not run on"))
      << describe(other);
}

TEST(Replayed, NotFromABrokenFile) {
  const Scratch scratch;
  const std::string name = scratch / "x.hsc";
  const auto expect = [&](const std::string& content, const char* message) {
    write_file(name, content);
    const Outcome outcome = replay(name);
    EXPECT_EQ(outcome.status, 125) << describe(outcome);
    EXPECT_THAT(outcome.err, HasSubstr(message)) << describe(outcome);
  };
  capture(name, {}, {"greeting"});
  const std::string whole = read_file(name);
  expect("", "x.hsc: no capture file");
  expect(whole.substr(0, whole.size() / 2), "x.hsc: cut short");
  std::string changed = whole;
  changed[whole.size() - 100] = char(changed[whole.size() - 100] ^ 1);
  expect(changed, "x.hsc: corrupt: the section at offset");
  EXPECT_EQ(replay(scratch / "none").status, 125);
}

}  // namespace
}  // namespace programs
