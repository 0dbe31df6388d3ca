// Kernels that call the host while they run: what they print, and what their memory holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "run.h"

namespace programs {
namespace {

using testing::HasSubstr;

class KernelCalls : public testing::TestWithParam<const char*> {
 protected:
  static Outcome run(const Words& program) {
    return hipsight_run({"--no-report", "--gpu", GetParam()}, program);
  }
};

std::vector<std::string> sorted_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

void expect_greetings(const Outcome& outcome) {
  std::string expected;
  for (int group = 0; group < 10000; ++group)
    for (int line = 0; line < 3; ++line) {
      char text[80];
      std::snprintf(text, sizeof text, "group %d line %d: %s, %.3f\n", group, line,
                    group % 2 ? "odd" : "even", 0.5 * line);
      expected += text;
    }
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(sorted_lines(outcome.out) == sorted_lines(expected))
      << sorted_lines(outcome.out).size() << " lines; the first: " << outcome.out.substr(0, 200);
}

TEST_P(KernelCalls, PrintFromTenThousandWorkgroups) {
  expect_greetings(run({"kernel_calls", "many"}));
}

TEST_P(KernelCalls, PrintAsTheHostDoes) {
  const Outcome outcome = run({"kernel_calls", "conversions"});
  EXPECT_EQ(outcome.status, 0) << "the values that printf returned are not the host's";
  EXPECT_THAT(outcome.out, HasSubstr("[-1] [2] [    3] [4    ]"));
  EXPECT_EQ(outcome.out, outcome.err);
}

TEST_P(KernelCalls, FailedAssertionEndsTheLaunch) {
  const Outcome outcome = run({"kernel_calls", "assert"});
  const std::string where = source_of("kernel_calls", "&& \"no negative values\"");
  EXPECT_THAT(outcome.err, HasSubstr(where + ": "));
  EXPECT_THAT(
      outcome.err,
      HasSubstr("Device-side assertion `values[i] >= 0 && \"no negative values\"' failed."));
  EXPECT_THAT(outcome.err, HasSubstr("check(int const*, int)"));
  EXPECT_EQ(outcome.out, "wait: hipErrorLaunchFailure\n");
  EXPECT_EQ(outcome.status, 86);
}

TEST_P(KernelCalls, FailedAssertionsOfTenThousandWorkgroups) {
  const Outcome outcome = run({"kernel_calls", "assert_all"});
  EXPECT_EQ(outcome.out, "wait: hipErrorLaunchFailure\n");
  EXPECT_EQ(outcome.status, 86);
  // As many are told as came about before the launch ended, each in a line of its own.
  std::istringstream lines(outcome.err);
  int told = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("Device-side") == line.npos) continue;
    EXPECT_THAT(line, HasSubstr("Device-side assertion `values[i] >= 0"));
    EXPECT_THAT(line, testing::EndsWith("failed."));
    ++told;
  }
  EXPECT_GT(told, 0) << outcome.err;
}

TEST_P(KernelCalls, AllOfThemFromTenThousandWorkgroups) {
  const Outcome outcome = run({"kernel_calls", "all"});
  std::string expected = "of 160000 blocks 160000 are apart, 160000 unharmed\n";
  for (int group = 0; group < 10000; ++group)
    expected += "group " + std::to_string(group) + " of 10000 has memory\n";
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(sorted_lines(outcome.out) == sorted_lines(expected))
      << sorted_lines(outcome.out).size() << " lines; the first: " << outcome.out.substr(0, 200);
}

TEST_P(KernelCalls, AllocateAndFree) {
  const Outcome outcome = run({"kernel_calls", "malloc"});
  EXPECT_EQ(outcome.out, "0 wrong\n") << outcome.err;
  EXPECT_EQ(outcome.err, "");
}

TEST_P(KernelCalls, PrintThroughABuffer) {
  expect_greetings(run({"kernel_calls_buffered", "many"}));
  const Outcome outcome = run({"kernel_calls_buffered", "conversions", "buffered"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("[-1] [2] [    3] [4    ]"));
  EXPECT_EQ(outcome.out, outcome.err);
}

// Older code objects have their hidden arguments elsewhere, and the heap in themselves.
class OldKernelCalls : public KernelCalls {};
TEST_P(OldKernelCalls, OfCodeObjectsOfVersion4) {
  expect_greetings(run({"kernel_calls_v4", "many"}));
  EXPECT_EQ(run({"kernel_calls_v4", "malloc"}).out, "0 wrong\n");
}

INSTANTIATE_TEST_SUITE_P(Gpus, KernelCalls,
                         testing::Values("mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Gpus, OldKernelCalls, testing::Values("mi300x", "rx7900xtx"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace programs
