// `hipsight run` around whole programs: their output, their exit status, the GPU they see, the
// report, and the library they are bound to. (tests/cli has what needs no GPU program.)
#include "run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

namespace programs {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

std::string greeting(const std::string& processor) {
  using namespace std::string_literals;
  return processor + " processors\r\n\xff\x01\0no newline at the end"s;
}
constexpr const char* mi300x = "gfx942:sramecc+:xnack-, 304";
constexpr const char* rx7900xtx = "gfx1100, 48";

// --- output

TEST(Output, IsTheProgramsOwn) {
  const Scratch scratch;
  const Words reports[] = {{},
                           {"--no-report"},
                           {"--report", scratch / "report.txt"},
                           {"--json", scratch / "report.json"}};
  for (const Words& options : reports)
    EXPECT_EQ(hipsight_run(options, {"greeting"}).out, greeting(mi300x));
}

TEST(Output, OnStderrComesBeforeTheReport) {
  EXPECT_EQ(hipsight_run({"--no-report"}, {"greeting"}).err, "words on stderr\n");
  const Outcome outcome = hipsight_run({}, {"greeting"});
  EXPECT_THAT(outcome.err,
              StartsWith("words on stderr\n\nhipsight: AMD Instinct MI300X (mi300x, "));
  EXPECT_THAT(outcome.err, HasSubstr("\nadd(int const*, int const*, int*, int): "));
}

TEST(Output, OfTheReportGoesWhereItIsSent) {
  const Scratch scratch;
  const Outcome outcome = hipsight_run({"--report", scratch / "report.txt"}, {"greeting"});
  EXPECT_EQ(outcome.err, "words on stderr\n");
  EXPECT_THAT(read_file(scratch / "report.txt"), HasSubstr("\nadd(int const*, "));
}

TEST(Output, IsNotLostWhenTheReportCannotBeWritten) {
  const Outcome outcome = hipsight_run({"--report", "/dev/full"}, {"greeting"});
  EXPECT_EQ(outcome.out, greeting(mi300x));
  EXPECT_EQ(outcome.status, 125);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write '/dev/full': No space left on device"));
}

TEST(Output, OfChosenLaunches) {
  const Scratch scratch;
  hipsight_run(
      {"--no-report", "--kernel", "^square", "--launch", "3", "--json", scratch / "report.json"},
      {EXAMPLES "/streams", "8003"});
  const auto report = nlohmann::json::parse(read_file(scratch / "report.json"));
  ASSERT_EQ(report.at("kernels").size(), 1u);
  EXPECT_EQ(report.at("kernels")[0].at("title"), "square(int, unsigned int*)");
  EXPECT_EQ(report.at("kernels")[0].at("launches"), 1);
  // One of eight blocks of 1001 integers, each read and written.
  EXPECT_EQ(report.at("kernels")[0].at("bytes").at("global").at("read"), 4004);
  EXPECT_EQ(report.at("selection").at("of_launches"), 9);
}

/// Lines of a text that hold this word.
std::vector<std::string> lines_with(const std::string& text, const std::string& word) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(word) != std::string::npos) found.push_back(line);
  return found;
}

// saxpy has four waves of 64 in each workgroup of 256; the last workgroup of 1000 has 232
// work-items.
TEST(Trace, IsOfTheChosenWave) {
  const Scratch scratch;
  const Outcome outcome =
      hipsight_run({"--no-report", "--trace", "3:2", "--trace-file", scratch / "trace"},
                   {EXAMPLES "/saxpy", "1000"});
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, StartsWith("PASS"));
  const std::string trace = read_file(scratch / "trace");
  EXPECT_THAT(trace, StartsWith("trace of launch 1: saxpy(int, float, float const*, float*), "
                                "workgroup (3, 0, 0), wave 2\n"));
  const auto start = lines_with(trace, "(start)");
  ASSERT_EQ(start.size(), 1u);
  EXPECT_THAT(start[0], HasSubstr(" v0=00000080+1"));  // work-item 128 and those after it
  EXPECT_THAT(start[0], HasSubstr("=00000003 "));      // the workgroup's number
  EXPECT_THAT(start[0], HasSubstr(" exec_lo=ffffffff exec_hi=ffffffff"));
  const auto ends = lines_with(trace, "s_endpgm");
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(lines_with(trace, "global_load_dword").size(), 2u);
  EXPECT_THAT(trace, HasSubstr("saxpy.hip:"));
  // As many as are said, and no other wave's.
  const auto count = lines_with(trace, "  ").size() - 1;
  EXPECT_THAT(trace,
              testing::EndsWith("end of the trace: " + std::to_string(count) + " instructions\n"));
}

/// "v2=[1 2 3]": whole registers, with what was written to them.
std::set<std::string> values_of(const std::string& trace) {
  static const std::regex value(R"(\b[a-z_]+[0-9]*=(\[[^\]]*\]|\S+))");
  return {std::sregex_token_iterator(trace.begin(), trace.end(), value),
          std::sregex_token_iterator()};
}

// Compiled code leaves fewer registers behind, but none that the interpreter does not.
TEST(Trace, IsOfTheSameValuesInEachTier) {
  std::map<std::string, std::set<std::string>> values;
  for (const char* tier : {"interpret", "translate"}) {
    const Outcome outcome = hipsight_run({"--no-report", "--trace", "1,2:3", "--threads", "1"},
                                         {EXAMPLES "/sgemm", "256"}, {{"HIPSIGHT_ENGINE", tier}});
    ASSERT_EQ(outcome.status, 0) << describe(outcome);
    EXPECT_GT(outcome.err.size(), 100'000u);
    EXPECT_GT(lines_with(outcome.err, "_fma").size(), 100u) << tier;
    values[tier] = values_of(outcome.err);
  }
  EXPECT_GT(values["translate"].size(), 300u);
  EXPECT_LT(values["translate"].size(), values["interpret"].size());
  EXPECT_TRUE(std::ranges::includes(values["interpret"], values["translate"]));
}

TEST(Trace, OfAnotherLaunch) {
  const Outcome outcome =
      hipsight_run({"--no-report", "--trace", "0", "--kernel", "^square", "--launch", "3"},
                   {EXAMPLES "/streams", "8003"});
  EXPECT_THAT(outcome.err,
              HasSubstr(": square(int, unsigned int*), workgroup (0, 0, 0), wave 0\n"));
  EXPECT_EQ(lines_with(outcome.err, "(start)").size(), 1u);
}

TEST(Trace, OfWhatIsNotThereIsSaidSo) {
  const auto trace = [](const char* wave, const Words& program, const Words& more = {}) {
    Words options{"--no-report", "--trace", wave};
    options.insert(options.end(), more.begin(), more.end());
    return hipsight_run(options, program);
  };
  EXPECT_EQ(trace("4", {EXAMPLES "/saxpy", "1000"}).err,
            "hipsight: nothing is traced: launch 1 of the program has 4 x 1 x 1 workgroups, and "
            "none (4, 0, 0)\n");
  EXPECT_EQ(trace("0:4", {EXAMPLES "/saxpy", "1000"}).err,
            "hipsight: nothing is traced: a workgroup of launch 1 of the program has 4 waves, and "
            "no wave 4\n");
  EXPECT_THAT(trace("0", {EXAMPLES "/saxpy", "1000"}, {"--kernel", "sgemm"}).err,
              StartsWith("hipsight: nothing is traced: "));
  for (const char* wrong : {"", "x", "1,", "1,2,3,4", "1:", "1:2:3", "-1", "1 "}) {
    const Outcome outcome = trace(wrong, {"greeting"});
    EXPECT_EQ(outcome.status, 125) << wrong;
    EXPECT_THAT(outcome.err, HasSubstr("is no wave to trace")) << wrong;
  }
  EXPECT_THAT(trace("0", {"greeting"}, {"--trace-file", "/no/such/folder/trace"}).err,
              HasSubstr("cannot write '/no/such/folder/trace'"));
}

TEST(Output, OfUnoptimizedCooperativeGroups) {
  for (const char* gpu : {"mi300x", "rx7900xtx"})
    EXPECT_EQ(hipsight_run({"--gpu", gpu, "--no-report"}, {"groups"}).out,
              "8128 120 376 632 888 1144 1400 1656 1912 ");
}

TEST(Output, ComparesGpus) {
  const Scratch scratch;
  const Outcome outcome =
      hipsight_run({"--also", "rx7900xtx,mi355x", "--json", scratch / "report.json"}, {"greeting"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out, greeting(mi300x));
  EXPECT_THAT(outcome.err, HasSubstr("UNVALIDATED"));
  EXPECT_THAT(outcome.err, HasSubstr("  mi355x     did not run\n")) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("gfx950"))
      << outcome.err;  // which the program has no code for
  const auto also = nlohmann::json::parse(read_file(scratch / "report.json")).at("also");
  ASSERT_EQ(also.size(), 2u);
  EXPECT_EQ(also[0].at("report").at("gpu").at("name"), "rx7900xtx");
  EXPECT_EQ(also[0].at("report").at("kernels")[0].at("wavefront_size"), 32);
  EXPECT_THAT(also[1].at("problem").get<std::string>(), HasSubstr("gfx950"));
}

TEST(Output, TellsOfProgress) {
  const Outcome outcome =
      hipsight_run({"--no-report", "--progress=0.02", "--timeout", "0.5"}, {"endless", "flag"});
  EXPECT_THAT(outcome.err, HasSubstr(" launches done; flag(int*): 0 % of 1 workgroups\n"))
      << outcome.err;
}

TEST(Output, AsJson) {
  const Scratch scratch;
  hipsight_run({"--no-report", "--json", scratch / "good.json"}, {"greeting"});
  const auto good = nlohmann::json::parse(read_file(scratch / "good.json"));
  EXPECT_EQ(good.at("schema"), "hipsight.report");
  EXPECT_EQ(good.at("gpu").at("name"), "mi300x");
  ASSERT_EQ(good.at("kernels").size(), 1u);
  const auto& kernel = good.at("kernels")[0];
  EXPECT_EQ(kernel.at("title"), "add(int const*, int const*, int*, int)");
  EXPECT_EQ(kernel.at("waves"), 2);
  // 100 work-items read two integers and write one.
  EXPECT_EQ(kernel.at("bytes").at("global").at("read"), 800);
  EXPECT_EQ(kernel.at("bytes").at("global").at("written"), 400);
  EXPECT_TRUE(good.at("errors").empty());

  hipsight_run({"--no-report", "--json", scratch / "bad.json"}, {"stray", "null"});
  const auto bad = nlohmann::json::parse(read_file(scratch / "bad.json"));
  EXPECT_TRUE(bad.at("kernels").empty());
  ASSERT_EQ(bad.at("errors").size(), 1u);
  EXPECT_EQ(bad.at("errors")[0].at("kernel"), "store(float*)");
  EXPECT_EQ(bad.at("errors")[0].at("kind"), "memory_access");
  EXPECT_THAT(bad.at("errors")[0].at("message"), HasSubstr("it is the null pointer"));
}

// --- exit status

TEST(ExitStatus, IsTheProgramsOwn) {
  EXPECT_EQ(hipsight_run({}, {"greeting"}).status, 0);
  EXPECT_EQ(hipsight_run({}, {"greeting", "3"}).status, 3);
  EXPECT_EQ(hipsight_run({}, {"greeting", "abort"}).signal, SIGABRT);
  const Outcome killed = hipsight_run({}, {"greeting", "kill"});
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(killed.out, greeting(mi300x));
}

TEST(ExitStatus, OfRefusedCallsIsTheProgramsOwn) {
  const Outcome outcome = hipsight_run({"--no-report"}, {"bad_calls"});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_EQ(outcome.out,
            "no blocks: hipErrorInvalidValue\n"
            "no threads: hipErrorInvalidConfiguration\n"
            "2048 threads: hipErrorInvalidValue\n"
            "64 x 64 threads: hipErrorInvalidValue\n"
            "512 threads of 256: hipErrorLaunchFailure\n"
            "200 KiB of LDS: hipErrorInvalidValue\n"
            "512 threads of 200 registers: hipSuccess\n"
            "1024 threads of 200 registers: hipErrorLaunchOutOfResources\n"
            "no function: hipErrorInvalidDeviceFunction\n"
            "no kernel: hipErrorInvalidDeviceFunction\n"
            "no arguments: hipErrorInvalidValue\n"
            "launch on a destroyed stream: hipErrorContextIsDestroyed\n"
            "destroy it again: hipErrorContextIsDestroyed\n"
            "destroy the null stream: hipErrorInvalidHandle\n"
            "wait for the null stream: hipSuccess\n"
            "copy to beyond the end: hipErrorInvalidValue\n"
            "copy from beyond the end: hipErrorInvalidValue\n"
            "copy to null: hipErrorInvalidValue\n"
            "copy from null: hipErrorInvalidValue\n"
            "set beyond the end: hipErrorInvalidValue\n"
            "allocate more than there is: hipErrorOutOfMemory\n"
            "free from the middle: hipErrorInvalidValue\n"
            "free host memory: hipErrorInvalidValue\n"
            "free: hipSuccess\n"
            "free again: hipErrorInvalidValue\n"
            "copy to freed memory: hipErrorInvalidValue\n"
            "at the end: hipSuccess\n");
  // What a program that does not look at errors would not see.
  for (const char* refusal :
       {"launch of store(int*) refused: a grid of 0 x 1 x 1 work-items\n",
        "launch of store(int*) refused: a block of 0 x 1 x 1\n",
        "launch of store(int*) refused: a block of 2048 x 1 x 1 is beyond 1024\n",
        "launch of bounded(int*) refused: a block of 512 x 1 x 1 is beyond the 256 it was ",
        "launch of store(int*) refused: 0 + 204800 (dynamic) bytes of LDS are beyond 65536\n",
        "launch of hungry(int*) refused: a block of 1024 x 1 x 1: a compute unit has no room for ",
        " 16 waves of 200 vector registers and 0 bytes of LDS (not one workgroup fits",
        "launch of store(int*) refused: no arguments\n", "copy to 1001 bytes at ",
        "fill 1001 bytes at ", "was freed before\n"})
    EXPECT_THAT(outcome.err, HasSubstr(refusal));
}

// --- the GPU

TEST(ChosenGpu, IsTheOneTheProgramSees) {
  EXPECT_EQ(hipsight_run({"--gpu", "rx7900xtx"}, {"greeting"}).out, greeting(rx7900xtx));
  EXPECT_EQ(hipsight_run({}, {"greeting"}, {{"HIPSIGHT_GPU", "rx7900xtx"}}).out,
            greeting(rx7900xtx));
  EXPECT_EQ(hipsight_run({"--gpu", "mi300x"}, {"greeting"}, {{"HIPSIGHT_GPU", "rx7900xtx"}}).out,
            greeting(mi300x));
}

TEST(ChosenGpu, MayBeAFile) {
  const Scratch scratch;
  write_file(scratch / "small.toml",
             "name = \"small\"\ntitle = \"A small MI300X\"\nbase = \"mi300x\"\n"
             "compute_units = { value = 10, source = \"a wish\" }\n");
  const Outcome outcome = hipsight_run({"--gpu", scratch / "small.toml"}, {"greeting"});
  EXPECT_EQ(outcome.out, greeting("gfx942:sramecc+:xnack-, 10"));
  EXPECT_THAT(outcome.err, HasSubstr("hipsight: A small MI300X (small, gfx942"));
}

TEST(ChosenGpu, MustBeKnown) {
  const Outcome outcome = hipsight_run({"--gpu", "mi999"}, {"greeting"});
  EXPECT_EQ(outcome.status, 125);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("hipsight: unknown GPU 'mi999'; there are: "));
  for (const char* name : {"mi210", "mi300x", "mi355x", "rx7900xtx", "rx9070xt"})
    EXPECT_THAT(outcome.err, HasSubstr(name));
}

// --- programs that are no programs

TEST(NoProgram, IsSaidSo) {
  const Outcome missing = hipsight_run({}, {"no_such_program"});
  EXPECT_EQ(missing.status, 127);
  EXPECT_THAT(missing.err, HasSubstr("program not found: "));
  const Outcome no_program = hipsight_run({}, {"module.co"});
  EXPECT_EQ(no_program.status, 126) << describe(no_program);
  EXPECT_THAT(no_program.err, HasSubstr("cannot run ")) << describe(no_program);
}

// --- binding: programs linked as with ROCm, against a library that fails every call

class StockProgram : public testing::TestWithParam<std::string> {};

TEST_P(StockProgram, IsBoundToOurLibrary) {
  const Outcome outcome = hipsight_run({"--no-report"}, {GetParam()}, {{"LD_BIND_NOW", "1"}});
  EXPECT_EQ(outcome.out, greeting(mi300x)) << describe(outcome);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "words on stderr\n");  // nor does the loader miss a version
}

// Without hipsight the program does not get to the end: it is really bound at run time.
TEST_P(StockProgram, AloneFails) {
  const Outcome outcome = run({folder() / GetParam()});
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.out, greeting(mi300x));
}

INSTANTIATE_TEST_SUITE_P(Kind, StockProgram,
                         testing::Values("stock_5", "stock_6", "stock_7", "stock_runpath"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace programs
