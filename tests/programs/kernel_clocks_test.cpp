// What clocks say that kernels read, under --time predicted: the GPU's time.
#include <gmock/gmock.h>

#include <map>
#include <sstream>

#include "run.h"

namespace programs {
namespace {

std::string out_of(const std::string& gpu, const std::string& threads, const std::string& engine) {
  const Outcome outcome = hipsight_run({"--gpu", gpu, "--time", "predicted", "--no-report",
                                        "--threads", threads, "--engine", engine},
                                       {"kernel_clocks"});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  return outcome.out;
}

std::map<std::string, double> times_in(const std::string& out) {
  std::map<std::string, double> times;
  std::istringstream in(out);
  std::string name;
  for (double value = 0; in >> name >> value;) times[name] = value;
  EXPECT_EQ(times.size(), 4u) << out;
  return times;
}

TEST(KernelClocks, AreTheGpus) {
  for (const char* gpu : {"mi300x", "rx7900xtx"}) {
    SCOPED_TRACE(gpu);
    const auto times = times_in(out_of(gpu, "2", "auto"));
    // From the begin of the first to that of the last: the first one's own time is in it.
    EXPECT_GE(times.at("between"), times.at("fills"));
    EXPECT_LE(times.at("between"), times.at("fills") + 20);
    // The model says how long the loop takes, the clock how often it goes round.
    EXPECT_NEAR(times.at("waits"), 500, 150);
    // RDNA3's counter has 20 bits.
    if (std::string(gpu) == "mi300x") EXPECT_NEAR(times.at("cycles"), 500, 5);
  }
}

TEST(KernelClocks, TheSameOnEveryHost) {
  const std::string once = out_of("mi300x", "1", "interpret");
  EXPECT_NE(once, "");
  EXPECT_EQ(out_of("mi300x", "2", "auto"), once);
}

}  // namespace
}  // namespace programs
