#include "timing/schedule.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace hipsight::timing {
namespace {

TEST(Schedule, EqualWorkIsEven) {
  const std::vector<double> work(17, 3.0);
  EXPECT_EQ(unevenness({.units = 4, .at_once = 2, .alone = 1, .together = 2}, work), 1);
}

/// One at a time on each of two: 1, 1 | 4 beside 1, 1: from 0 to 5, where 6 of average 4/3 would
/// take three rounds of 4/3.
TEST(Schedule, ALongOneThatBeginsLateIsWaitedFor) {
  const std::array work{1.0, 1.0, 4.0, 1.0, 1.0, 0.0};
  EXPECT_NEAR(unevenness({.units = 2, .at_once = 1, .alone = 1, .together = 1}, work),
              5 / (3 * 8 / 6.0), 1e-9);
}

/// The long one first, it is in no one's way: the other unit takes all the rest.
TEST(Schedule, ALongOneThatBeginsEarlyIsNot) {
  const std::array work{4.0, 1.0, 1.0, 1.0, 1.0, 0.0};
  EXPECT_NEAR(unevenness({.units = 2, .at_once = 1, .alone = 1, .together = 1}, work),
              4 / (3 * 8 / 6.0), 1e-9);
}

/// Two share a unit. If a unit is as quick with one as with two, the long one does the second half
/// of its work at twice the speed; if it only waits, as slowly as before.
TEST(Schedule, WhatIsLeftOnAUnitIsQuicker) {
  const std::array work{1.0, 3.0};
  EXPECT_NEAR(unevenness({.units = 1, .at_once = 2, .alone = 1, .together = 2}, work), 1, 1e-9);
  EXPECT_NEAR(unevenness({.units = 1, .at_once = 2, .alone = 1, .together = 1}, work), 1.5, 1e-9);
}

TEST(Schedule, NothingToDoIsEven) {
  EXPECT_EQ(unevenness({.units = 1, .at_once = 2, .alone = 1, .together = 2}, std::array{0.0}), 1);
}

}  // namespace
}  // namespace hipsight::timing
