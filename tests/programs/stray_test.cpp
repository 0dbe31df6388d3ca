// Accesses outside every allocation: each a report, and a program that lives on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run.h"

namespace programs {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

struct Case {
  std::string name;      ///< stray's argument
  std::string kernel;    ///< demangled
  std::string marker;    ///< comment on the line that goes astray
  std::string what;      ///< first line of the report
  std::string where;     ///< regular expression of what it says about the address
  std::string out = "";  ///< what stray prints before the launch
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

std::vector<Case> cases() {
  const std::string range = R"(hipMalloc #[12] \[0x[0-9a-f]+, 0x[0-9a-f]+\), )";
  const std::string right_behind = "right behind the end of " + range + "1000 bytes";
  const std::string outside = " outside every allocation: 4 bytes at 0x";
  const std::string own_memory = "it is the program's own memory ";
  const std::string far = "far from every allocation; nearest: ";
  return {
      {"null", "store(float*)", "stray store", "store" + outside, "it is the null pointer"},
      {"near_null", "store(float*)", "stray store", "store" + outside,
       "it is 64 bytes from the null pointer"},
      {"wild", "store(float*)", "stray store", "store" + outside + "123456789000", far + range},
      {"beyond_48_bits", "store(float*)", "stray store", "store" + outside + "deadbeefdeadbeec",
       far},
      {"past_end", "store(float*)", "stray store", "store" + outside, right_behind},
      {"load_past_end", "load(float*, float const*)", "stray load", "load" + outside, right_behind},
      {"scalar_load_past_end", "load_scalar(float*, float const*)", "stray scalar load",
       "scalar load" + outside, right_behind},
      {"scalar_load_null", "load_scalar(float*, float const*)", "stray scalar load",
       "scalar load" + outside, "it is the null pointer"},
      {"atomic_past_end", "add(int*)", "", "atomic" + outside, right_behind},
      {"atomic_misaligned", "add(int*)", "", "misaligned atomic: 4 bytes at 0x", ""},
      {"later_wave", "store(float*)", "stray store", "store" + outside, right_behind},
      {"flat_past_end", "store_flat(float**)", "stray flat store", "store" + outside, right_behind},
      {"straddling", "store(float*)", "stray store", "store" + outside,
       "it runs 2 bytes past the end of " + range + "1000 bytes"},
      {"before", "store(float*)", "stray store", "store" + outside,
       "nearest: 4 bytes before " + range + "1000 bytes"},
      {"freed", "store(float*)", "stray store", "store" + outside,
       "it was freed: hipMalloc #2 .*, 256 bytes"},
      {"heap", "store(float*)", "stray store", "store" + outside,
       own_memory + R"(\((\[heap\]|anonymous)\))"},
      {"load_heap", "load(float*, float const*)", "stray load", "load" + outside,
       own_memory + R"(\((\[heap\]|anonymous)\))"},
      {"stack", "store(float*)", "stray store", "store" + outside, own_memory + R"(\(\[stack\]\))"},
      {"host_global", "store(float*)", "stray store", "store" + outside,
       own_memory + R"(\(.*/stray\))"},
      {"host_constant", "store(float*)", "stray store", "store" + outside,
       own_memory + R"(\(.*/stray\))", "register: hipErrorInvalidValue\n"},
      {"unmapped", "store(float*)", "stray store", "store" + outside,
       "it was freed: hipHostRegister of", "register: hipSuccess\n"},
      {"registered", "store(float*)", "stray store", "store" + outside,
       own_memory + R"(\((.*/stray|anonymous)\))", "register: hipSuccess\n"},
      {"code", "store_code(int*)", "stray code store", "store over code object ",
       "it may only be read: code object "},
      {"arguments", "store_arguments(int*)", "stray argument store",
       "store over kernel arguments: 4 bytes at 0x", "it may only be read: kernel arguments "},
      {"lds", "store_lds(float*, int)", "stray LDS store",
       "LDS access outside the workgroup's LDS: 4 bytes at 0x100 of 256", ""},
      {"lds_negative", "store_lds(float*, int)", "stray LDS store",
       "LDS access outside the workgroup's LDS: 4 bytes at 0xffffff", ""},  // of either wave
      {"lds_load", "load_lds(float*, int)", "stray LDS load",
       "LDS access outside the workgroup's LDS: 4 bytes at 0x", ""},
      {"scratch", "store_scratch(float*, int)", "stray scratch store",
       "scratch access outside the work-item's scratch: 4 bytes at ", ""},
      {"scratch_negative", "store_scratch(float*, int)", "stray scratch store",
       "scratch access outside the work-item's scratch: 4 bytes at ", ""},
  };
}

/// GPU, tier of the engine, case.
class Stray : public testing::TestWithParam<std::tuple<std::string, std::string, Case>> {};

TEST_P(Stray, IsReportedAndTheProgramLivesOn) {
  const auto& [gpu, tier, c] = GetParam();
  const Outcome outcome =
      hipsight_run({"--gpu", gpu, "--strict"}, {"stray", c.name}, in_tier(tier));
  const std::string all = describe(outcome);
  EXPECT_EQ(outcome.out, "before\n" + c.out +
                             "wait: hipErrorIllegalAddress\n"
                             "after it: hipErrorIllegalAddress\n"
                             "host memory: as it was\n"
                             "after\n");
  EXPECT_EQ(outcome.status, 86) << all;
  EXPECT_THAT(outcome.err, HasSubstr("hipsight: " + c.what)) << all;
  EXPECT_THAT(outcome.err, HasSubstr("\n  kernel      " + c.kernel + "\n")) << all;
  EXPECT_THAT(outcome.err, MatchesRegex("(.|\n)*\n  instruction [a-z_0-9]+ .*\n"
                                        "  address     0x[0-9a-f]+ in .*/stray\n(.|\n)*"));
  if (!c.marker.empty())
    EXPECT_THAT(outcome.err,
                HasSubstr("\n  source      " + source_of("stray", "// " + c.marker) + "\n"))
        << all;
  EXPECT_THAT(outcome.err, MatchesRegex("(.|\n)*\n  workgroup   \\(0, 0, 0\\), wave [0-7], lane "
                                        "[0-9]+\n(.|\n)*"));
  if (!c.where.empty())
    EXPECT_THAT(outcome.err, MatchesRegex("(.|\n)*\n  " + c.where + "(.|\n)*")) << all;
  // The report at the end names it again.
  EXPECT_THAT(outcome.err, HasSubstr("\n1 launch failed:\n  " + c.kernel + ": memory access\n"));
}

INSTANTIATE_TEST_SUITE_P(Gpu, Stray,
                         testing::Combine(testing::Values<std::string>("mi210", "mi300x",
                                                                       "rx7900xtx"),
                                          testing::Values<std::string>("interpret", "translate"),
                                          testing::ValuesIn(cases())),
                         [](const auto& info) {
                           return std::get<0>(info.param) + ("_" + std::get<1>(info.param)) +
                                  ("_" + std::get<2>(info.param).name);
                         });

/// `hipsight check` collects what `run --strict` ends with.
Outcome check(const std::string& gpu, const std::string& tier, const std::string& name) {
  return run({HIPSIGHT_COMMAND, "check", "--gpu", gpu, "--", folder() / "stray", name},
             in_tier(tier));
}

class CheckedStray : public Stray {};

TEST_P(CheckedStray, IsFoundAndTheKernelGoesOn) {
  const auto& [gpu, tier, c] = GetParam();
  const Outcome outcome = check(gpu, tier, c.name);
  const std::string all = describe(outcome);
  EXPECT_THAT(outcome.out, HasSubstr("\nwait: hipSuccess\n")) << all;
  EXPECT_EQ(outcome.status, 87) << all;
  EXPECT_THAT(outcome.err, HasSubstr("\nmemcheck: " + c.what)) << all;
  EXPECT_THAT(outcome.err, HasSubstr("\n  kernel      " + c.kernel + "\n")) << all;
  if (!c.marker.empty())
    EXPECT_THAT(outcome.err,
                HasSubstr("\n  source      " + source_of("stray", "// " + c.marker) + "\n"))
        << all;
  if (!c.where.empty())
    EXPECT_THAT(outcome.err, MatchesRegex("(.|\n)*\n  " + c.where + "(.|\n)*")) << all;
  const bool has_two = c.name == "lds_load";
  EXPECT_THAT(outcome.err,
              HasSubstr(has_two ? "\nmemcheck,racecheck,synccheck: 2 findings in 1 launch\n"
                                : "\nmemcheck,racecheck,synccheck: 1 finding in 1 launch\n"))
      << all;
}

INSTANTIATE_TEST_SUITE_P(planted_defect, CheckedStray,
                         testing::Combine(testing::Values<std::string>("mi210", "mi300x", "mi355x",
                                                                       "rx7900xtx", "rx9070xt"),
                                          testing::Values<std::string>("interpret", "translate"),
                                          testing::ValuesIn(cases())),
                         [](const auto& info) {
                           return std::get<0>(info.param) + ("_" + std::get<1>(info.param)) +
                                  ("_" + std::get<2>(info.param).name);
                         });

class FixedStray : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(FixedStray, IsSilent) {
  const auto& [gpu, tier] = GetParam();
  const Outcome outcome = check(gpu, tier, "fixed");
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("\nmemcheck,racecheck,synccheck: 0 findings in 6 launches\n"));
}

/// Programs without a fault, of several kernels each.
TEST_P(FixedStray, AndSoAreExamples) {
  const auto& [gpu, tier] = GetParam();
  for (const char* example : {"sgemm", "reduction", "scan", "streams"}) {
    const Outcome outcome = run(
        {HIPSIGHT_COMMAND, "check", "--gpu", gpu, "--", std::filesystem::path(EXAMPLES) / example},
        in_tier(tier));
    EXPECT_EQ(outcome.status, 0) << describe(outcome);
    EXPECT_THAT(outcome.err, HasSubstr("\nmemcheck,racecheck,synccheck: 0 findings in "))
        << example;
  }
}

INSTANTIATE_TEST_SUITE_P(planted_defect_twin, FixedStray,
                         testing::Combine(testing::Values<std::string>("mi300x", "rx7900xtx"),
                                          testing::Values<std::string>("interpret", "translate")),
                         [](const auto& info) {
                           return std::get<0>(info.param) + "_" + std::get<1>(info.param);
                         });

/// GPU and tier of the engine. The address is a constant of the instruction.
class StrayCall : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(StrayCall, IsReportedAndTheProgramLivesOn) {
  const auto& [gpu, tier] = GetParam();
  const Outcome outcome = hipsight_run({"--gpu", gpu}, {"stray", "call"}, in_tier(tier));
  const std::string all = describe(outcome);
  EXPECT_EQ(outcome.out,
            "before\nwait: hipErrorIllegalAddress\nafter it: hipErrorIllegalAddress\n"
            "host memory: as it was\nafter\n");
  EXPECT_EQ(outcome.status, 86) << all;
  EXPECT_THAT(outcome.err, HasSubstr("hipsight: jump to 0x12345678, where there is no code\n"
                                     "  kernel      call()\n"
                                     "  instruction s_swappc_b64 s[30:31], 0x12345678\n"))
      << all;
  EXPECT_THAT(outcome.err,
              HasSubstr("\n  source      " + source_of("stray", "// stray call") + "\n"))
      << all;
}

INSTANTIATE_TEST_SUITE_P(
    Gpu, StrayCall,
    testing::Combine(testing::Values<std::string>("mi210", "mi300x", "rx7900xtx"),
                     testing::Values<std::string>("interpret", "translate")),
    [](const auto& info) { return std::get<0>(info.param) + ("_" + std::get<1>(info.param)); });

// A GPU protects pages, and gives LDS out in blocks, so it does not notice these: programs that do
// so run there.
class JustBeyond
    : public testing::TestWithParam<std::tuple<std::string, std::string, std::string>> {};

TEST_P(JustBeyond, IsToldOnceAndTheRunGoesOn) {
  const auto& [gpu, tier, name] = GetParam();
  const Outcome outcome = hipsight_run({"--gpu", gpu}, {"stray", name}, in_tier(tier));
  const std::string all = describe(outcome);
  EXPECT_EQ(outcome.out,
            "before\nwait: hipSuccess\nafter it: hipSuccess\nhost memory: as it was\nafter\n");
  EXPECT_EQ(outcome.status, 0) << all;
  EXPECT_THAT(outcome.err,
              HasSubstr(name.starts_with("lds") ? " outside the workgroup's LDS: 4 bytes at 0x"
                        : name == "code"        ? "store over code object "
                        : name == "arguments"   ? "store over kernel arguments: 4 bytes at 0x"
                                                : " outside every allocation: 4 bytes at 0x"))
      << all;
  EXPECT_THAT(outcome.err, HasSubstr("\n  source      ")) << all;
  const std::string note = "a GPU does not notice";
  const std::size_t at = outcome.err.find(note);
  ASSERT_NE(at, std::string::npos) << all;
  EXPECT_EQ(outcome.err.find(note, at + 1), std::string::npos) << all;
}

INSTANTIATE_TEST_SUITE_P(
    Gpu, JustBeyond,
    testing::Combine(testing::Values<std::string>("mi210", "mi300x", "rx7900xtx"),
                     testing::Values<std::string>("interpret", "translate"),
                     testing::Values<std::string>("past_end", "load_past_end",
                                                  "scalar_load_past_end", "atomic_past_end",
                                                  "flat_past_end", "straddling", "lds", "lds_load",
                                                  "lds_negative", "code", "arguments")),
    [](const auto& info) {
      return std::get<0>(info.param) + "_" + std::get<1>(info.param) + "_" +
             std::get<2>(info.param);
    });

// A store there would change what is the program's own.
TEST(StrayProgram, StoresBehindRegisteredMemoryAreErrorsAlways) {
  const Outcome outcome = hipsight_run({}, {"stray", "registered"});
  EXPECT_THAT(outcome.out, HasSubstr("wait: hipErrorIllegalAddress\n")) << describe(outcome);
  EXPECT_THAT(outcome.out, HasSubstr("host memory: as it was\n")) << describe(outcome);
}

TEST(StrayProgram, KeepsItsOwnExitStatus) {
  EXPECT_EQ(hipsight_run({}, {"stray", "null", "3"}).status, 3);
  EXPECT_EQ(hipsight_run({"--no-report"}, {"stray", "null", "0"}).status, 86);
}

}  // namespace
}  // namespace programs
