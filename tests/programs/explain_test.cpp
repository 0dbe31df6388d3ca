// `hipsight explain` of a program, a source, a capture and code alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "run.h"

namespace programs {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Outcome explain(std::vector<std::string> words) {
  words.insert(words.begin(), {HIPSIGHT_COMMAND, "explain"});
  return run(words);
}

class Explain : public testing::Test {
 protected:
  /// A source without main; its kernel keeps more than the registers of half a SIMD's waves.
  std::string source(const std::string& more = "") const {
    const std::string name = scratch_ / "explain.hip";
    std::ofstream(name) << R"(#include <hip/hip_runtime.h>
extern "C" __global__ void doubled(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];  // the line
}
extern "C" __global__ void other(int* y) { y[threadIdx.x] = 0; }
)" << more;
    return name;
  }
  const Scratch scratch_;
};

TEST_F(Explain, a_program_line_by_line) {
  const Outcome outcome =
      explain({"--gpu", "mi300x", "--", std::filesystem::path(EXAMPLES) / "sgemm"});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("\n  bound by      grid: 16 workgroups"),
                    HasSubstr("\n  what waves wait for\n            loads "),
                    ContainsRegex("\n +[0-9]+ %  sgemm.hip:[0-9]+, waits for loads\n            "
                                  "[^ ].*\n +[0-9]+ %  [0-9a-f]+  global_load_dword"),
                    HasSubstr("of 8 waves per SIMD, limited by VGPRs"),
                    HasSubstr("\n    1. small-grid\n            -")))
      << describe(outcome);
}

TEST_F(Explain, a_source_is_compiled_and_launched) {
  const Outcome outcome = explain({"--gpu", "rx7900xtx", "--kernel", "doubled", "--grid", "64",
                                   "--block", "256", "--arg", "buffer:65536", "--arg",
                                   "buffer:65536:f32", "--arg", "i32:16384", "--", source()});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("\ndoubled: "), HasSubstr("explain.hip:4, ")));
}

TEST_F(Explain, a_source_with_main_is_run) {
  const Outcome outcome = explain(
      {"--gpu", "mi210", "--", source("int main() { other<<<1, 64>>>(nullptr); return 3; }")});
  EXPECT_EQ(outcome.status, 3) << describe(outcome);
}

TEST_F(Explain, code_alone) {
  const Outcome outcome = explain({"--gpu", "mi300x", source()});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("nothing runs"), HasSubstr("\ndoubled\n"), HasSubstr("\nother\n"),
                    ContainsRegex("[0-9]+ VGPRs, of which [0-9]+ hold what is read later"),
                    HasSubstr("8 of 8 waves per SIMD"), HasSubstr(" vector, "),
                    HasSubstr("explain.hip\n")));
  const Outcome one = explain({"--gpu", "mi300x", "--kernel", "other", "--", source()});
  EXPECT_THAT(one.out, AllOf(HasSubstr("\nother\n"), Not(HasSubstr("doubled"))));
}

TEST_F(Explain, a_capture) {
  const std::string file = scratch_ / "explain.capture";
  const Outcome captured = run({HIPSIGHT_COMMAND, "capture", "--gpu", "mi300x", "--launch", "1",
                                "-o", file, "--", std::filesystem::path(EXAMPLES) / "sgemm"});
  ASSERT_EQ(captured.status, 0) << describe(captured);
  const Outcome outcome = explain({file});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("\n    1. small-grid\n"), Not(HasSubstr("under way"))));
}

TEST_F(Explain, what_cannot_be_explained_is_named) {
  EXPECT_THAT(explain({"--gpu", "mi300x", source("int main( {")}).err,
              AllOf(HasSubstr("error: "), HasSubstr("explain.hip: hipcc failed with exit code 1")));
  EXPECT_THAT(explain({"--gpu", "mi300x", "--kernel", "none", "--", source()}).err,
              HasSubstr("explain.hip: no kernel matching 'none' in it"));
  EXPECT_EQ(explain({"/no/such/file"}).status, 127);
}

}  // namespace
}  // namespace programs
