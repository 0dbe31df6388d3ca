// All-reduces against the published table. Every second row, from the first on, was fitted on; the
// others judge.
#include "timing/collectives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/error.h"

namespace hipsight::timing {
namespace {

struct Measured {
  std::uint64_t bytes;
  double seconds;
};
std::vector<Measured> measured(const char* file = "all_reduce.csv") {
  std::ifstream in(std::string(HIPSIGHT_COLLECTIVES) + file);
  std::vector<Measured> rows;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#' || line[0] == 'b') continue;
    std::istringstream words(line);
    double us = 0;
    char comma = 0;
    Measured row{};
    words >> row.bytes >> comma >> us;
    row.seconds = us * 1e-6;
    rows.push_back(row);
  }
  return rows;
}

TEST(Collectives, AllReduceIsNearWhatWasMeasured) {
  const auto rows = measured();
  ASSERT_EQ(rows.size(), 32u);
  std::vector<double> errors;
  for (std::size_t i = 1; i < rows.size(); i += 2)
    errors.push_back(std::abs(
        all_reduce_time(gpus::find("mi300x"), 8, rows[i].bytes).seconds / rows[i].seconds - 1));
  std::ranges::sort(errors);
  EXPECT_LT(errors[errors.size() / 2], 0.05);
  EXPECT_LT(errors[errors.size() * 9 / 10 - 1], 0.45);  // launches of a few bytes vary
}

/// Of another GPU, whose links' rate is taken from what they are specified for: what links bound.
TEST(Collectives, LinksOfAnotherGpuAreNearWhatWasMeasured) {
  const auto rows = measured("all_reduce_mi350x.csv");
  ASSERT_EQ(rows.size(), 2u);
  const auto time = all_reduce_time(gpus::find("mi350x"), 8, rows[1].bytes);
  EXPECT_EQ(time.bound, "links");
  EXPECT_NEAR(time.seconds, rows[1].seconds, 0.06 * rows[1].seconds);
}

TEST(Collectives, SaysWhatBounds) {
  const gpus::Gpu gpu = gpus::find("mi300x");
  EXPECT_EQ(all_reduce_time(gpu, 8, 1024).bound, "latency");
  const CollectiveTime large = all_reduce_time(gpu, 8, std::uint64_t{1} << 30);
  EXPECT_EQ(large.bound, "links");
  // Seven links, each at what was measured.
  EXPECT_NEAR(large.bus_bytes_per_second, 7 * 45.3e9, 7 * 45.3e9 * 0.02);
  EXPECT_GT(all_reduce_time(gpu, 2, 1 << 28).seconds, all_reduce_time(gpu, 8, 1 << 28).seconds);
}

TEST(Collectives, RefusesWhatIsNoNode) {
  EXPECT_THROW(all_reduce_time(gpus::find("mi300x"), 9, 1), Exception);
  EXPECT_THROW(all_reduce_time(gpus::find("mi300x"), 1, 1), Exception);
  EXPECT_THROW(all_reduce_time(gpus::find("rx7900xtx"), 2, 1), Exception);
}

}  // namespace
}  // namespace hipsight::timing
