// What is left of a run, however it ends: reports and other files, and the exit code when one that
// was asked for is missing (docs/exit-codes.md).
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "run.h"

namespace programs {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

Outcome hipsight(const Words& words, const Environment& environment = {}) {
  Words command = {HIPSIGHT_COMMAND};
  command.insert(command.end(), words.begin(), words.end());
  return run(command, environment);
}
std::string greeting() {
  return folder() / "greeting";
}
json report(const fs::path& file) {
  return json::parse(read_file(file));
}

struct Ending {
  const char *word, *told;  // and by what the report says that it ended
  int status, signal;
};
class Ends : public testing::TestWithParam<Ending> {};

TEST_P(Ends, LeaveTheReport) {
  const Scratch scratch;
  const Outcome outcome = hipsight_run(
      {"--json", scratch / "r.json", "--report", scratch / "r.txt"}, {"greeting", GetParam().word});
  const std::string all = describe(outcome);
  EXPECT_EQ(outcome.status, GetParam().status) << all;
  EXPECT_EQ(outcome.signal, GetParam().signal) << all;
  ASSERT_TRUE(fs::exists(scratch / "r.json")) << all;
  const json left = report(scratch / "r.json");
  EXPECT_EQ(left.at("kernels").size(), 1u);
  EXPECT_EQ(left.at("ended"), *GetParam().told ? json(GetParam().told) : json());
  EXPECT_THAT(read_file(scratch / "r.txt"), HasSubstr("\nadd(int const*, "));
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(scratch / "r.txt").parent_path()), {}),
            2);
}
INSTANTIATE_TEST_SUITE_P(
    Greeting, Ends,
    testing::Values(Ending{"0", "", 0, 0}, Ending{"_exit", "_exit", 0, 0},
                    Ending{"exec", "exec", 0, 0}, Ending{"fork", "", 0, 0},
                    Ending{"abort", "signal 6 (Aborted)", -1, SIGABRT},
                    Ending{"crash", "signal 11 (Segmentation fault)", -1, SIGSEGV},
                    Ending{"overflow", "signal 11 (Segmentation fault)", -1, SIGSEGV}),
    [](const auto& info) { return "by" + std::string(info.param.word); });

// Nobody can write anything then: what an earlier run left must not pass for this one's.
TEST(Killed, ARunLeavesNoReport) {
  const Scratch scratch;
  std::ofstream(scratch / "r.json") << "{}";
  const Outcome outcome = hipsight_run({"--json", scratch / "r.json"}, {"greeting", "kill"});
  EXPECT_EQ(outcome.signal, SIGKILL) << describe(outcome);
  EXPECT_FALSE(fs::exists(scratch / "r.json"));
}

TEST(Interrupted, ARunLeavesAPartialReport) {
  const Scratch scratch;
  const Outcome outcome =
      run({"/usr/bin/timeout", "--preserve-status", "-s", "INT", "2", HIPSIGHT_COMMAND, "run",
           "--json", scratch / "r.json", "--", folder() / "endless", "flag"});
  EXPECT_THAT(outcome.err, HasSubstr("\nthe process ended by signal 2 (Interrupt): "))
      << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("  under way: flag(int*), 0 of 1 workgroups done\n"));
  const json left = report(scratch / "r.json");
  EXPECT_EQ(left.at("unfinished").at(0).at("kernel"), "flag(int*)");
}

// --- several processes

TEST(Processes, WriteFilesOfTheirOwn) {
  const Scratch scratch;
  const auto twice = [&](const std::string& other) {
    return hipsight_run({"--no-report", "--json", scratch / "r.json"},
                        {"/bin/sh", "-c", greeting() + " >/dev/null; " + other});
  };
  EXPECT_EQ(twice(greeting() + "; " + greeting() + " 3").status, 3);
  for (const char* name : {"r.json", "r.2.json", "r.3.json"})
    EXPECT_EQ(report(scratch / name).at("kernels").size(), 1u) << name;
  // What an earlier run left is none of the next one's.
  EXPECT_EQ(twice("true").status, 0);
  EXPECT_TRUE(fs::exists(scratch / "r.json"));
  EXPECT_FALSE(fs::exists(scratch / "r.2.json"));
}

TEST(Processes, ShareAFilterAndACapture) {
  const Scratch scratch;
  const Outcome outcome = hipsight({"capture", "-o", scratch / "c", "--kernel", "^add", "--",
                                    "/bin/sh", "-c", "/bin/true && exec " + greeting()});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_TRUE(fs::exists(scratch / "c"));
}

// --- what was asked for is missing

TEST(Missing, IsSaidOfAProgramWithoutHip) {
  const Scratch scratch;
  const std::string said = "hipsight: no process of the program used HIP: there is no report\n";
  for (const Words& words : std::vector<Words>{{"profile"},
                                               {"predict"},
                                               {"run", "--json", scratch / "r"},
                                               {"run", "--kernel", "x"},
                                               {"run", "--trace", "0"},
                                               {"capture", "-o", scratch / "c"}}) {
    Words command = words;
    command.insert(command.end(), {"--", "/bin/true"});
    const Outcome outcome = hipsight(command);
    EXPECT_EQ(outcome.err, said);
    EXPECT_EQ(outcome.status, 125) << words[0];
    command.back() = "/bin/false";
    EXPECT_EQ(hipsight(command).status, 1);
  }
  const Outcome plain = hipsight({"run", "--", "/bin/true"});
  EXPECT_EQ(plain.err, said);
  EXPECT_EQ(plain.status, 0);
}

TEST(Missing, IsSaidOfAStaticProgram) {
  const Scratch scratch;
  // exit(0), linked by nobody.
  write_file(scratch / "a.s", ".globl _start\n_start: mov $60, %eax\nxor %edi, %edi\nsyscall\n");
  ASSERT_EQ(run({"/usr/bin/clang-22", "-fuse-ld=lld-22", "-nostdlib", "-static", "-no-pie",
                 scratch / "a.s", "-o", scratch / "a"})
                .status,
            0);
  const Outcome outcome = hipsight({"run", "--", scratch / "a"});
  EXPECT_THAT(outcome.err, HasSubstr("a is linked statically: it takes no HIP of ours\n"));
  EXPECT_EQ(outcome.status, 0);
}

TEST(Missing, AreLaunchesThatNoFilterMatches) {
  const Scratch scratch;
  for (const Words& filter : std::vector<Words>{{"--kernel", "^dd"}, {"--launch", "2"}}) {
    Words options = filter;
    const Outcome shown = hipsight_run(options, {"greeting"});
    EXPECT_EQ(shown.status, 125) << describe(shown);
    EXPECT_THAT(shown.err, HasSubstr("no such launch ran to its end"));
    options.emplace_back("--no-report");
    const Outcome quiet = hipsight_run(options, {"greeting"});
    EXPECT_EQ(quiet.status, 125) << describe(quiet);
    EXPECT_THAT(quiet.err, HasSubstr("hipsight: nothing is reported: only "));
    EXPECT_EQ(hipsight_run(options, {"greeting", "7"}).status, 7);
  }
}

TEST(Missing, IsEveryOtherGpu) {
  const Outcome outcome = hipsight_run({"--also", "mi355x,mi210"}, {"greeting"});
  EXPECT_EQ(outcome.status, 125) << describe(outcome);
  EXPECT_THAT(outcome.err, HasSubstr("hipsight: the program failed on all other GPUs\n"));
}

// --- files that cannot be written

TEST(FullDisk, IsSaidAndSeenInTheExitCode) {
  const Scratch scratch;
  for (const Words& options :
       std::vector<Words>{{"run", "--json", "/dev/full"},
                          {"run", "--values", "/dev/full"},
                          {"run", "--report", "/dev/full"},
                          {"run", "--no-report", "--trace", "0", "--trace-file", "/dev/full"},
                          {"predict", "--no-report", "--record", "/dev/full"},
                          {"capture", "-o", "/dev/full"}}) {
    Words command = options;
    command.insert(command.end(), {"--", greeting()});
    const Outcome outcome = hipsight(command);
    EXPECT_EQ(outcome.status, 125) << options.back() << describe(outcome);
    EXPECT_THAT(outcome.err, HasSubstr("hipsight: cannot write '/dev/full': No space left on"));
    // The program's own calls and output are as ever.
    EXPECT_THAT(outcome.out, testing::EndsWith("no newline at the end"));
  }
}

TEST(Unwritable, FilesAreToldBeforeTheProgramStarts) {
  const Scratch scratch;
  const std::string nowhere = scratch / "no/such", file = scratch / "file";
  write_file(file, "of an earlier run");
  for (const Words& options : std::vector<Words>{{"run", "--json", nowhere},
                                                 {"run", "--values", nowhere},
                                                 {"run", "--report", "/tmp"},
                                                 {"run", "--trace", "0", "--trace-file", nowhere},
                                                 {"profile", "--record", nowhere},
                                                 {"capture", "-o", nowhere}}) {
    Words command = options;
    command.insert(command.end(), {"--", greeting()});
    const Outcome outcome = hipsight(command);
    EXPECT_EQ(outcome.status, 125);
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr("hipsight: cannot write '"));
  }
  // What an earlier run left goes, even if nothing comes in its place.
  hipsight({"run", "--json", file, "--", "/bin/true"});
  EXPECT_FALSE(fs::exists(file));
}

// --- what the program is given

TEST(HiddenDevices, AreNoDevices) {
  for (const Words& words : std::vector<Words>{{"run"}, {"capture", "-o", "/dev/null"}}) {
    Words command = words;
    command.insert(command.end(), {"--", greeting()});
    const Outcome outcome = hipsight(command, {{"HIP_VISIBLE_DEVICES", "7"}});
    EXPECT_EQ(outcome.signal, 0) << describe(outcome);
    EXPECT_GT(outcome.status, 0);
    EXPECT_THAT(outcome.err + outcome.out, HasSubstr("hipErrorNoDevice"));
  }
}

TEST(APipe, InTheCacheIsNoCode) {
  const Scratch scratch;
  const Environment cache{{"HIPSIGHT_CACHE", scratch / "cache"}, {"HIPSIGHT_ENGINE", "translate"}};
  ASSERT_EQ(hipsight_run({"--no-report"}, {"greeting"}, cache).status, 0);
  for (const auto& entry : fs::directory_iterator(scratch / "cache")) {
    const fs::path& file = entry.path();
    fs::remove(file);
    mkfifo(file.c_str(), 0600);
  }
  const Outcome outcome = hipsight_run({"--no-report"}, {"greeting"}, cache);
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
}

// --- hostile input

// A kernel may be called anything: a terminal must not obey it, and a capture must find it again.
TEST(AName, OfAnyBytesIsShownAndFoundAgain) {
  const Scratch scratch;
  std::string code = read_file(folder() / "module.co");
  const std::string name = "store", wild = "\xff\x1b[m\n";
  for (std::size_t at = 0; (at = code.find(name, at)) != code.npos;)
    code.replace(at, name.size(), wild);
  write_file(scratch / "wild.co", code);
  const Words launch{"--grid", "1", "--block", "64", "--arg", "buffer:256", scratch / "wild.co"};
  const auto with = [&](Words words) {
    words.insert(words.end(), launch.begin(), launch.end());
    return hipsight(words);
  };
  const Outcome shown = with({"run", "--json", scratch / "r.json", "--report", scratch / "r.txt"});
  EXPECT_EQ(shown.status, 0) << describe(shown);
  EXPECT_THAT(read_file(scratch / "r.txt"),
              testing::ContainsRegex("\n"
                                     R"(\\xff\\x1b\[m\\x0a: [^,]*, 1 launch, 100 % of the time)"));
  EXPECT_EQ(report(scratch / "r.json").at("kernels").size(), 1u);
  const Outcome captured = with({"capture", "-o", scratch / "c"});
  EXPECT_EQ(captured.status, 0) << describe(captured);
  const Outcome replayed = hipsight({"replay", scratch / "c"});
  EXPECT_EQ(replayed.status, 0) << describe(replayed);
  EXPECT_THAT(captured.err + replayed.err, Not(HasSubstr("\x1b")));
}

TEST(ACapture, NamesAGpuAndNoFile) {
  const Scratch scratch;
  write_file(scratch / "my.toml", "name = \"/dev/zero\"\nbase = \"mi300x\"\n");
  ASSERT_EQ(
      hipsight({"capture", "--gpu", scratch / "my.toml", "-o", scratch / "c", "--", greeting()})
          .status,
      0);
  const Outcome outcome = hipsight({"replay", scratch / "c"});
  EXPECT_EQ(outcome.status, 125);
  EXPECT_THAT(outcome.err, HasSubstr("captured on the GPU '/dev/zero', which is not known here"));
  EXPECT_EQ(hipsight({"replay", "--gpu", "mi300x", scratch / "c"}).status, 0);
  for (const char* file : {"/dev/zero", "/tmp"}) EXPECT_EQ(hipsight({"replay", file}).status, 125);
}

// A set-user-ID program takes nothing from whoever starts it.
TEST(MoreRights, TakeNothingFromTheEnvironment) {
  const Scratch scratch;
  const std::string program = scratch / "greeting", json = scratch / "r.json";
  fs::copy_file(greeting(), program);
  constexpr unsigned nobody = 65534;
  if (geteuid() != 0 || chown(program.c_str(), nobody, nobody) != 0 ||
      chmod(program.c_str(), 04755) != 0)
    GTEST_SKIP() << "this needs root";
  fs::permissions(fs::path(program).parent_path(), fs::perms(0777));
  const Outcome outcome = run({program}, {{"HIPSIGHT_GPU", "rx7900xtx"}, {"HIPSIGHT_JSON", json}});
  if (outcome.status == 127) GTEST_SKIP() << "others cannot read the build folder";
  EXPECT_THAT(outcome.out, HasSubstr("gfx942")) << describe(outcome);
  EXPECT_FALSE(fs::exists(json));
}

}  // namespace
}  // namespace programs
