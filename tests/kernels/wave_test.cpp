// What lanes tell each other, on the GPU that the program runs on.
#include <gtest/gtest.h>

#include <algorithm>

#include "managed.h"
#include "wave_case.h"

namespace {

TEST(Wave, ExchangeGivesTheOtherLanesValue) {
  const int lanes = wave_size();
  ASSERT_GE(lanes, 32);
  Managed<int> in(lanes, 0), out(lanes * lanes, -1);
  for (int lane = 0; lane < lanes; lane++) in[lane] = 1000 + 7 * lane;
  ASSERT_TRUE(run_exchange(in.data(), out.data()));
  for (int mask = 0; mask < lanes; mask++)
    for (int lane = 0; lane < lanes; lane++)
      EXPECT_EQ(out[mask * lanes + lane], in[lane ^ mask]) << "lane " << lane << " XOR " << mask;
}

/// Powers of 2 and their negatives: a lane that is left out or taken twice changes each sum.
TEST(Wave, OverLanes) {
  const int lanes = wave_size();
  Managed<float> in(lanes, 0), out(3 * lanes, -1);
  float all = 0;
  for (int lane = 0; lane < lanes; lane++) {
    in[lane] = static_cast<float>(1 << lane % 20) * (lane < 20 ? 1 : lane < 40 ? -3 : 5);
    all += in[lane];  // exact
  }
  ASSERT_TRUE(run_over_lanes(in.data(), out.data()));
  const float largest = *std::ranges::max_element(in.all());
  for (int lane = 0; lane < lanes; lane++) {
    EXPECT_EQ(out[lane], all) << "lane " << lane;
    EXPECT_EQ(out[lanes + lane], largest) << "lane " << lane;
    const float four = in[lane] + in[lane ^ 2] + in[lane ^ 4] + in[lane ^ 6];
    EXPECT_EQ(out[2 * lanes + lane], four) << "lane " << lane;
  }
}

/// Small integers, so that sums are exact; as many tiles as need both buffers several times, the
/// last one cut.
TEST(Wave, RolesCopyAndSum) {
  for (const int columns : {4, 16, 100, 160}) {
    Managed<float> in(lines_of_sums * columns, 0), out(2 * lines_of_sums, -1);
    for (int i = 0; i < lines_of_sums * columns; i++) in[i] = static_cast<float>(i * 7 % 31 - 9);
    ASSERT_TRUE(run_sums(in.data(), columns, out.data()));
    for (int line = 0; line < lines_of_sums; line++) {
      float halves[2] = {0, 0};
      for (int c = 0; c < columns; c++) halves[c % 16 / 8] += in[line * columns + c];
      EXPECT_EQ(out[line], halves[0]) << "line " << line << " of " << columns;
      EXPECT_EQ(out[lines_of_sums + line], halves[1]) << "line " << line << " of " << columns;
    }
  }
}

}  // namespace
