// What programs and packages of others ask of the compiler, its headers and the tools of a ROCm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run.h"

namespace programs {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;

class Headers : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!fs::exists(folder() / "new_headers")) GTEST_SKIP() << "the SDK is not HIP 7's";
  }
};

TEST_P(Headers, OfHip7) {
  const Outcome outcome = hipsight_run({"--gpu", GetParam(), "--no-report"}, {"new_headers"});
  // e4m3 of the two kinds differ in how far they reach.
  const std::string least = GetParam() == "mi300x" ? "-240" : "-448";
  EXPECT_EQ(outcome.out,
            "work-item 6 of 32\n7 7 100 170 1 240 32 136 33 0.333984 0.00195312 0.3125 " + least +
                " 6 -8 2 16\n")
      << describe(outcome);
  EXPECT_EQ(outcome.status, 0);
}

TEST_P(Headers, OfRandomNumbers) {
  const Outcome outcome = hipsight_run({"--gpu", GetParam(), "--no-report"}, {"random_numbers"});
  EXPECT_EQ(outcome.out, "128 of 128 are right\n") << describe(outcome);
}

INSTANTIATE_TEST_SUITE_P(Gpu, Headers, testing::Values("mi300x", "rx7900xtx"));

/// What a command of the shell prints under `hipsight run`.
std::string shell(const std::string& gpu, const std::string& command,
                  const Environment& environment = {}) {
  const Outcome outcome =
      run({HIPSIGHT_COMMAND, "run", "--gpu", gpu, "--no-report", "--", "/bin/sh", "-c", command},
          environment);
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  return outcome.out;
}

TEST(Rocm, NamesTheEmulatedGpu) {
  EXPECT_EQ(shell("rx7900xtx", "rocm_agent_enumerator"), "gfx1100\n");
  EXPECT_EQ(shell("mi300x", "rocm_agent_enumerator -name"), "gfx942:sramecc+:xnack-\n");
  EXPECT_EQ(shell("mi210", "rocm_agent_enumerator", {{"HIPSIGHT_GPUS", "2"}}), "gfx90a\ngfx90a\n");
  const std::string info = shell("mi355x", "rocminfo");
  EXPECT_THAT(info, ContainsRegex("\n  Name: +gfx950 *\n  Marketing Name: +AMD Instinct MI355X"));
  EXPECT_THAT(info, ContainsRegex("\n  Compute Unit: +256 *\n"));
  EXPECT_THAT(info,
              ContainsRegex("\n      Name: +amdgcn-amd-amdhsa--gfx950:sramecc\\+:xnack- *\n"));
}

TEST(Rocm, HasACompilerAndSaysWhichHip) {
  const std::string version = shell("mi300x", "hipconfig --version");
  EXPECT_THAT(version, ContainsRegex("^[0-9]+\\.[0-9]+\\.[0-9]+-$"));
  EXPECT_THAT(shell("mi300x", "hipcc --version"), HasSubstr("HIP version: " + version + "\n"));
  EXPECT_EQ(shell("mi300x", "hipconfig -P"), "amd");
  EXPECT_EQ(shell("mi300x", "test -e $(hipconfig --path)/include/hip/hip_runtime.h && echo yes"),
            "yes\n");
}

TEST(Rocm, IsWhereCompilersLookForIt) {
  const std::string parts =
      "cd $ROCM_PATH && for part in llvm/bin/ld.lld llvm/bin/clang amdgcn/bitcode/ocml.bc; do "
      "test -e $part || echo no $part; done";
  EXPECT_EQ(shell("mi300x", parts), "");
  EXPECT_EQ(shell("mi300x", "echo $ROCM_PATH", {{"ROCM_PATH", "/mine"}}), "/mine\n");
}

}  // namespace
}  // namespace programs
