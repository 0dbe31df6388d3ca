#include "support/run_state.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/files.h"

namespace hipsight {
namespace {

TEST(RunStates, give_each_process_its_file) {
  const TemporaryFolder folder;
  EXPECT_EQ(output_of_process(folder / "r.json", 1), folder / "r.json");
  EXPECT_EQ(output_of_process(folder / "r.json", 2), folder / "r.2.json");
  EXPECT_EQ(output_of_process(folder / "r", 12), folder / "r.12");
  EXPECT_EQ(output_of_process("/dev/null", 2), "/dev/null");
}

TEST(RunStates, are_found_by_those_who_have_the_name) {
  RunState& made = share_run_state();
  made.wanted = RunState::Captures;
  EXPECT_EQ(run_state(), nullptr);
  join_run("1:x");
  EXPECT_EQ(run_state(), nullptr);
  join_run(std::getenv("HIPSIGHT_RUN"));
  RunState* const found = run_state();
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found, &made);
  EXPECT_EQ(found->wanted, RunState::Captures);
  EXPECT_EQ(process_of_run(), 1u);
  EXPECT_EQ(process_of_run(), 1u);
  EXPECT_EQ(made.processes, 1u);
}

}  // namespace
}  // namespace hipsight
