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

/// What must go over links and network at the least, counted by hand.
TEST(Collectives, MoveWhatTheyMust) {
  using Kind = Collective::Kind;
  const gpus::Gpu gpu = gpus::find("mi300x");
  const double link = *gpu.peer_gb_per_s_measured * 1e9, start = 60.1e-6, size = 1ull << 33;
  const auto seconds = [&](Collective of) {
    of.bytes = std::uint64_t{1} << 33;
    const CollectiveTime time = collective_time(gpu, of);
    EXPECT_EQ(time.protocol, "Simple");
    EXPECT_FALSE(time.validated && of.kind != Kind::AllReduce);
    return time.seconds - start;
  };
  const auto expect = [&](double is, double of) { EXPECT_NEAR(is, of, 1e-9 * of); };
  expect(seconds({.kind = Kind::AllReduce}), 2 * size / 8 / link);
  expect(seconds({.kind = Kind::AllGather}), size / 8 / link);
  expect(seconds({.kind = Kind::ReduceScatter, .ranks = 4}), size / 4 / link);
  expect(seconds({.kind = Kind::AllToAll}), size / 8 / link);
  expect(seconds({.kind = Kind::AllToAll, .busiest = 3}), 3 * size / 8 / link);
  expect(seconds({.kind = Kind::Send, .ranks = 2}), size / link);
  // Two nodes: half of what a GPU has for others goes to the other one, by a slow network.
  const double slow = 10e9;
  const auto apart = [&](Kind kind, unsigned ranks, unsigned nodes) {
    return seconds({.kind = kind, .ranks = ranks, .nodes = nodes, .network_gb_per_s = 10});
  };
  expect(apart(Kind::AllToAll, 16, 2), size / 2 / slow);
  // Eight rings of sixteen ranks: each GPU hands on 15 of 16 parts of an eighth.
  expect(apart(Kind::AllGather, 16, 2), size / 8 * 15 / 16 / slow);
  expect(apart(Kind::AllReduce, 16, 2), 2 * size / 8 * 15 / 16 / slow);
  expect(apart(Kind::AllReduce, 4, 4), 2 * size * 3 / 4 / slow);
  expect(apart(Kind::Send, 16, 2), size / slow);
  // By a quick one, links are what takes time.
  EXPECT_EQ(
      collective_time(gpu, {.ranks = 16, .bytes = 1ull << 33, .nodes = 2, .network_gb_per_s = 400})
          .bound,
      "links");
}

TEST(Collectives, RefusesWhatIsNoNode) {
  EXPECT_THROW(all_reduce_time(gpus::find("mi300x"), 9, 1), Exception);
  EXPECT_THROW(all_reduce_time(gpus::find("mi300x"), 1, 1), Exception);
  EXPECT_THROW(all_reduce_time(gpus::find("rx7900xtx"), 2, 1), Exception);
  const gpus::Gpu gpu = gpus::find("mi300x");
  EXPECT_THROW(collective_time(gpu, {.ranks = 16, .nodes = 2}), Exception);
  EXPECT_THROW(collective_time(gpu, {.ranks = 9, .nodes = 2, .network_gb_per_s = 50}), Exception);
  EXPECT_THROW(collective_time(gpu, {.nodes = 0}), Exception);
  EXPECT_THROW(collective_time(gpu, {.busiest = 2}), Exception);
  EXPECT_THROW(collective_time(gpu, {.kind = Collective::Kind::AllToAll, .busiest = 9}), Exception);
}

}  // namespace
}  // namespace hipsight::timing
