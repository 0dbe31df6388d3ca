// Whole programs with a cache of translated code (docs/translator.md): runs that follow, that go on
// beside each other, that are killed, and files that are damaged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <map>

#include "run.h"

namespace programs {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Cache : public testing::Test {
 protected:
  void SetUp() override {
    if (!__builtin_cpu_supports("x86-64-v3")) GTEST_SKIP() << "this host cannot translate";
  }
  Outcome run_once() const { return run_with(scratch / "cache"); }
  static Outcome run_with(const std::string& cache) {
    return hipsight_run({"--no-report"}, {EXAMPLES "/sgemm", "70"},
                        {{"HIPSIGHT_ENGINE", "translate"}, {"HIPSIGHT_CACHE", cache}});
  }
  static void expect_good(const Outcome& outcome) {
    EXPECT_EQ(outcome.status, 0) << describe(outcome);
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, HasSubstr("PASS sgemm 70x70x70"));
  }
  /// Names of files, with numbers that change when one is written anew.
  std::map<std::string, ino_t> files() const {
    std::map<std::string, ino_t> all;
    for (const auto& entry : fs::directory_iterator(scratch / "cache")) {
      struct stat info{};
      stat(entry.path().c_str(), &info);
      all[entry.path().filename()] = info.st_ino;
    }
    return all;
  }
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> all;
    for (const auto& [name, number] : files()) all[name] = read_file(scratch / "cache" / name);
    return all;
  }
  Scratch scratch;
};

TEST_F(Cache, ServesTheNextRun) {
  expect_good(run_once());
  const auto before = files();
  EXPECT_GT(before.size(), 5u);
  expect_good(run_once());
  EXPECT_EQ(files(), before);
  // Another program's code is beside it.
  hipsight_run({"--no-report"}, {EXAMPLES "/scan", "5000"},
               {{"HIPSIGHT_ENGINE", "translate"}, {"HIPSIGHT_CACHE", scratch / "cache"}});
  auto after = files();
  EXPECT_GT(after.size(), before.size());
  for (const auto& [name, number] : before) EXPECT_EQ(after[name], number);
}

TEST_F(Cache, IsOfTheProcessor) {
  expect_good(run_once());
  const auto before = files();
  const Outcome outcome = hipsight_run({"--no-report"}, {EXAMPLES "/sgemm", "70"},
                                       {{"HIPSIGHT_ENGINE", "translate"},
                                        {"HIPSIGHT_CACHE", scratch / "cache"},
                                        {"HIPSIGHT_HOST_ISA", "avx2"},
                                        {"HIPSIGHT_HOST_CPU", "x86-64-v3"}});
  expect_good(outcome);
  EXPECT_EQ(files().size(), 2 * before.size());
}

TEST_F(Cache, OutlivesDamage) {
  expect_good(run_once());
  const auto before = contents();
  std::size_t which = 0;
  for (const auto& [name, text] : before) {
    std::string wrong = text;
    switch (which++ % 4) {
      case 0:
        wrong.resize(wrong.size() / 2);
        break;
      case 1:
        wrong[wrong.size() * 3 / 4] ^= 1;
        break;
      case 2:
        wrong.clear();
        break;
      default:
        wrong.assign(wrong.size(), '\0');
    }
    write_file(scratch / "cache" / name, wrong);
  }
  expect_good(run_once());
  EXPECT_EQ(contents(), before);
}

TEST_F(Cache, IsSharedByRunsBesideEachOther) {
  std::vector<std::future<Outcome>> runs;
  for (int i = 0; i < 4; ++i)
    runs.push_back(std::async(std::launch::async, [&] { return run_once(); }));
  for (auto& outcome : runs) expect_good(outcome.get());
  const auto before = files();
  expect_good(run_once());
  EXPECT_EQ(files(), before);
}

TEST_F(Cache, OutlivesRunsThatAreKilled) {
  const double whole = run_with("off").seconds;
  int killed = 0;
  for (int i = 1; i <= 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("HIPSIGHT_ENGINE", "translate", 1);
      setenv("HIPSIGHT_CACHE", (scratch / "cache").c_str(), 1);
      setenv("HIPSIGHT_REPORT", "none", 1);
      if (!freopen("/dev/null", "w", stdout)) _exit(1);
      execl(EXAMPLES "/sgemm", "sgemm", "70", nullptr);
      _exit(1);
    }
    usleep(static_cast<useconds_t>(whole * i / 5 * 1e6));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    killed += WIFSIGNALED(status);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "it did not start";
  }
  EXPECT_GT(killed, 0);
  expect_good(run_once());
  const auto before = contents();
  expect_good(run_once());
  EXPECT_EQ(contents(), before);
}

TEST_F(Cache, ThatCannotBeIsSaid) {
  write_file(scratch / "cache", "a file");
  const Outcome outcome = run_once();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out, HasSubstr("PASS"));
  EXPECT_THAT(outcome.err,
              testing::StartsWith("hipsight: no cache of translated code and predictions: "));
}

}  // namespace
}  // namespace programs
