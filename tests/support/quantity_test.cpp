#include "support/quantity.h"

#include <gtest/gtest.h>

namespace hipsight {
namespace {

TEST(Quantity, has_three_digits_and_a_prefix) {
  EXPECT_EQ(quantity(0, "B"), "0 B");
  EXPECT_EQ(quantity(999, "B"), "999 B");
  EXPECT_EQ(quantity(1000, "B"), "1.00 kB");
  EXPECT_EQ(quantity(999999, "B"), "1.00 MB");
  EXPECT_EQ(quantity(12345678, ""), "12.3 M");
  EXPECT_EQ(quantity(137.4e9, "FLOP"), "137 GFLOP");
  EXPECT_EQ(duration(1.234e-6), "1.23 us");
  EXPECT_EQ(duration(0.0999996), "100 ms");
  EXPECT_EQ(duration(75), "75.0 s");
}

}  // namespace
}  // namespace hipsight
