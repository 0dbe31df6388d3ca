#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "calibrate/fit.h"
#include "calibrate/measured.h"
#include "calibrate/result.h"
#include "support/error.h"

namespace hipsight::calibrate {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string wrong(const std::string& text) {
  try {
    read_times(text, "times.csv");
    return "nothing";
  } catch (const Exception& error) {
    return error.what();
  }
}

TEST(Times, AreReadLineByLine) {
  const auto all = read_times(
      "# MI300X, ROCm 6.3\ncommand,microseconds\n./a 1 2, 3.5\n\n\"./b 1,2\",1e3\r\n", "times.csv");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].command, "./a 1 2");
  EXPECT_DOUBLE_EQ(all[0].seconds, 3.5e-6);
  EXPECT_EQ(all[1].command, "./b 1,2");
  EXPECT_DOUBLE_EQ(all[1].seconds, 1e-3);
  EXPECT_THAT(words_of("  ./a 1\t2 "), testing::ElementsAre("./a", "1", "2"));
}

TEST(Times, AreRefusedWithTheLine) {
  EXPECT_THAT(wrong(""), HasSubstr("times.csv: there are no times"));
  EXPECT_THAT(wrong("./a,3\n"), HasSubstr("times.csv:1: the first line must be"));
  EXPECT_THAT(wrong("command,microseconds\n./a\n"), HasSubstr("times.csv:2: there must be"));
  for (const char* time : {"0", "-1", "x", "3us", "inf", "nan", ""})
    EXPECT_THAT(wrong(std::string("command,microseconds\n./a,") + time + "\n"),
                HasSubstr("is no time in microseconds"));
  EXPECT_THAT(wrong("command,microseconds\n,3\n"), HasSubstr("there is no command"));
}

/// A GPU of three numbers: a launch takes launch_us, bytes go at dram_gb_per_s_measured, and loads
/// one after the other take dram_latency.
struct Work {
  double bytes, loads;
};
double seconds(const gpus::Gpu& gpu, const Work& work) {
  return *gpu.launch_us * 1e-6 + work.bytes / (*gpu.dram_gb_per_s_measured * 1e9) +
         work.loads * *gpu.dram_latency / (gpu.clock_ghz * 1e9);
}

struct Fitted {
  gpus::Gpu gpu = gpus::find("mi300x"), real = gpu;
  std::vector<Work> work;
  std::vector<Measured> points;

  explicit Fitted(std::initializer_list<std::pair<const char*, double>> factors) {
    for (const auto& [key, factor] : factors) {
      const auto fact = std::ranges::find(real.facts, key, &gpus::Gpu::Fact::key);
      gpus::set(real, key, std::stod(fact->value) * factor, "a test");
    }
    for (int i = 0; i < 24; ++i) work.push_back({std::ldexp(1e4, i % 12), i % 5 * 300.0});
    for (std::size_t i = 0; i < work.size(); ++i)
      points.push_back({"./program " + std::to_string(i), seconds(real, work[i])});
  }
  Calibration fit(const std::vector<std::string>& keys) const {
    return calibrate(gpu, keys, points, [&](const gpus::Gpu& on, std::size_t point) {
      return seconds(on, work[point]);
    });
  }
};

TEST(Fit, FindsTheNumbersOfWhatWasMeasured) {
  const Fitted trial({{"launch_us", 2}, {"dram_gb_per_s_measured", 0.7}, {"dram_latency", 1.3}});
  const Calibration found = trial.fit({"launch_us", "dram_gb_per_s_measured", "dram_latency"});
  const double factors[] = {2, 0.7, 1.3};
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(found.constants[i].after / found.constants[i].before, factors[i], 0.05)
        << found.constants[i].key;
  EXPECT_GT(errors_of(trial.points, found.before).median, 10);
  EXPECT_LT(errors_of(trial.points, found.after).median, 2);
  EXPECT_LT(errors_of(trial.points, found.held_out).median, 4);
  EXPECT_TRUE(is_better(trial.points, found));
}

TEST(Fit, LeavesAloneWhatSaysNothing) {
  const Fitted trial({{"launch_us", 1.5}});
  const Calibration found = trial.fit({"launch_us", "l2_latency", "dram_gb_per_s_measured"});
  EXPECT_NEAR(found.constants[0].after / found.constants[0].before, 1.5, 0.05);
  EXPECT_EQ(found.constants[1].after, found.constants[1].before);
  EXPECT_NEAR(found.constants[2].after / found.constants[2].before, 1, 0.04);
}

TEST(Fit, OfTimesThatFitNothingIsNotBetter) {
  Fitted trial({});
  for (std::size_t i = 0; i < trial.points.size(); ++i)
    trial.points[i].seconds *= i % 2 ? 1.4 : 1 / 1.4;
  const Calibration found = trial.fit({"l2_latency"});
  EXPECT_FALSE(is_better(trial.points, found));
}

TEST(Fit, OfFewHoldsNoneOut) {
  Fitted trial({{"launch_us", 2}});
  trial.points.resize(5), trial.work.resize(5);
  const Calibration found = trial.fit({"launch_us"});
  EXPECT_TRUE(found.held_out.empty());
  EXPECT_THAT(to_text(trial.points, found, "a GPU"), HasSubstr("none can be held out"));
}

TEST(Fit, RefusesAnUnknownNumber) {
  const Fitted trial({});
  EXPECT_THROW(trial.fit({"no_such_key"}), Exception);
}

TEST(Fit, IsWrittenAsAGpuFile) {
  const Fitted trial({{"launch_us", 2}});
  const Calibration found = trial.fit({"launch_us", "l2_latency"});
  const std::string text = to_toml(found, trial.gpu, "mine", "a \"test\"");
  const gpus::Gpu read = gpus::parse(text, "mine.toml");
  EXPECT_EQ(read.name, "mine");
  EXPECT_NEAR(*read.launch_us, 2 * *trial.gpu.launch_us, 0.2);
  EXPECT_EQ(read.l2_latency, trial.gpu.l2_latency);
  EXPECT_EQ(text.find("l2_latency"), text.npos) << "what was not changed";
}

/// Times of a GPU with other numbers, as its program prints them by events; then numbers are fitted
/// to them, from the usual ones on.
TEST(Calibrate, FindsAnEmulatedGpu) {
  const fs::path folder = fs::path(testing::TempDir()) / ("calibrate_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const auto run = [&](const std::string& command) {
    return WEXITSTATUS(std::system(("cd " + folder.string() + " && " + command).c_str()));
  };
  const std::string hipsight = HIPSIGHT_COMMAND;
  std::ofstream(folder / "real.toml")
      << "name = \"real\"\ntitle = \"real\"\nbase = \"rx7900xtx\"\n"
         "dram_gb_per_s_measured = { value = 500, source = \"a test\" }\n"
         "launch_us = { value = 9, source = \"a test\" }\n";
  ASSERT_EQ(run(hipsight + " run --gpu ./real.toml --time predicted --no-report -- " +
                HIPSIGHT_COLLECT " --small --keep-caches --repeat 1 >all.csv && "
                                 "grep -v -e chase -e fma -e reread all.csv >times.csv"),
            0);
  ASSERT_EQ(run(hipsight + " calibrate times.csv --gpu rx7900xtx -o fitted.toml "
                           "--fit launch_us,dram_gb_per_s_measured > text"),
            0);
  const gpus::Gpu fitted = gpus::read(folder / "fitted.toml");
  EXPECT_NEAR(*fitted.dram_gb_per_s_measured, 500, 60);
  // What lies between two events takes 2.3 us longer than the kernel (docs/timeline.md).
  EXPECT_NEAR(*fitted.launch_us, 9 + 2.3, 1);
  std::ifstream in(folder / "text");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_THAT(text, HasSubstr("of kernels that were held out of the fit"));
  // Nothing is fitted to times that are the GPU's own.
  EXPECT_EQ(
      run(hipsight + " calibrate times.csv --gpu-path . --gpu fitted --fit l2_latency > text"), 1);
  EXPECT_EQ(run(hipsight + " calibrate times.csv --gpu ./fitted.toml 2> text"), 125);
  EXPECT_EQ(run(hipsight + " calibrate missing.csv > text 2>&1"), 125);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace hipsight::calibrate
