// docs/tutorials: each command gives the lines that stand below it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "page.h"
#include "run.h"

namespace programs {
namespace {

using testing::HasSubstr;

class Tutorials : public testing::TestWithParam<const char*> {};

TEST_P(Tutorials, are_true) {
  const std::vector<Shown> shown =
      shown_in(read_file(TUTORIALS "/" + std::string(GetParam()) + ".md"));
  ASSERT_GE(shown.size(), 6u);
  const std::string path =
      std::filesystem::path(HIPSIGHT_COMMAND).parent_path().string() + ":" + EXAMPLES;
  std::map<std::string, std::string> told;  // by command: pages show it in parts
  for (const Shown& one : shown) {
    const auto [known, is_new] = told.try_emplace(one.command);
    if (is_new) {
      const Outcome outcome = run({"/bin/sh", "-c", "PATH=" + path + ":$PATH && " + one.command});
      EXPECT_EQ(outcome.status, 0) << describe(outcome);
      known->second = squeezed(outcome.err);
    }
    for (const std::string& line : one.lines)
      EXPECT_THAT(known->second, HasSubstr(squeezed(line))) << one.command;
  }
}

INSTANTIATE_TEST_SUITE_P(Page, Tutorials, testing::Values("softmax", "sgemm", "attention"),
                         [](const auto& page) { return std::string(page.param); });

}  // namespace
}  // namespace programs
