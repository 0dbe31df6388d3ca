// Predictions that later runs take from files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "engine/host.h"
#include "isa/row.h"
#include "session/launch_times.h"

namespace hipsight::session {
namespace {

namespace fs = std::filesystem;

class KeptTimesTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/hipsight-times-XXXXXX";
    folder_ = mkdtemp(name);
    engine::set_host({.cache = folder_});
    kernel_.name = "_Z4spinv";
    dispatch_.kernel = &kernel_;
    dispatch_.grid = {256, 1, 1};
    dispatch_.block = {64, 1, 1};
    instruction_.row = &isa::row_of(isa::Opcode::V_ADD_F32);
    result_.counts = {{&instruction_, 100, 6400}};
  }
  void TearDown() override {
    engine::set_host({});
    fs::remove_all(folder_);
  }

  struct Run {
    explicit Run(const gpus::Gpu& gpu, timing::Assumptions assumptions = {})
        : kept(gpu, 64, assumptions), times(gpu, nullptr, nullptr, &kept) {}
    KeptTimes kept;
    LaunchTimes times;
  };
  void predict_once() {
    Run run(gpu_);
    const auto asked = run.times.ask(dispatch_);
    ASSERT_TRUE(asked.predict);
    run.times.add(asked, result_, {2e-6, 1e-6, false, "memory"});
  }

  fs::path folder_;
  const gpus::Gpu gpu_ = gpus::find("mi300x");
  code::Kernel kernel_;
  engine::Dispatch dispatch_;
  isa::Instruction instruction_;
  engine::Result result_;
};

TEST_F(KeptTimesTest, AreThoseOfLaunchesLikeThat) {
  predict_once();
  Run later(gpu_);
  const auto asked = later.times.ask(dispatch_);
  ASSERT_FALSE(asked.predict);
  const auto taken = later.times.of(asked, dispatch_, result_);
  EXPECT_EQ(taken.seconds, 2e-6);
  EXPECT_EQ(taken.bound, "memory");
  // It does twice as much now: scaled, told, and predicted anew from then on.
  result_.counts[0].executions = 200;
  EXPECT_DOUBLE_EQ(later.times.of(asked, dispatch_, result_).seconds, 3e-6);
  EXPECT_EQ(later.times.estimated().size(), 1u);
  EXPECT_TRUE(later.times.ask(dispatch_).predict);
}

TEST_F(KeptTimesTest, AreNotThoseOfOthers) {
  predict_once();
  EXPECT_FALSE(Run(gpu_).times.ask(dispatch_).predict);
  EXPECT_TRUE(Run(gpus::find("mi325x")).times.ask(dispatch_).predict);
  EXPECT_TRUE(Run(gpu_, {.caches = timing::Caches::Warm}).times.ask(dispatch_).predict);
  EXPECT_TRUE(Run(gpu_, {.instructions = 5}).times.ask(dispatch_).predict);
  gpus::Gpu changed = gpu_;
  changed.facts.back().value += "1";
  EXPECT_TRUE(Run(changed).times.ask(dispatch_).predict);
  dispatch_.dynamic_lds = 4;
  EXPECT_TRUE(Run(gpu_).times.ask(dispatch_).predict);
}

TEST_F(KeptTimesTest, WhatIsCutOffCountsAsNone) {
  predict_once();
  for (const auto& entry : fs::directory_iterator(folder_))
    fs::resize_file(entry.path(), fs::file_size(entry.path()) - 1);
  EXPECT_TRUE(Run(gpu_).times.ask(dispatch_).predict);
  predict_once();
  EXPECT_FALSE(Run(gpu_).times.ask(dispatch_).predict);
}

TEST_F(KeptTimesTest, WithoutAFolderThereAreNone) {
  engine::set_host({});
  predict_once();
  EXPECT_TRUE(Run(gpu_).times.ask(dispatch_).predict);
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace hipsight::session
