// What the environment asks for.
#include <gtest/gtest.h>

#include <cstdlib>

#include "runtime/state.h"

namespace hipsight::runtime {
namespace {

int devices(const char* visible) {
  setenv("HIPSIGHT_GPUS", "4", 1);
  setenv("HIP_VISIBLE_DEVICES", visible, 1);
  const int result = Settings::read().devices;
  unsetenv("HIP_VISIBLE_DEVICES");
  unsetenv("HIPSIGHT_GPUS");
  return result;
}

TEST(Settings, DevicesMayBeHidden) {
  EXPECT_EQ(devices(""), 4);
  EXPECT_EQ(devices("2,0"), 2);
  EXPECT_EQ(devices("1,1,3"), 2);
  EXPECT_EQ(devices("0,7,1"), 1);  // there is no seventh: the list ends
  EXPECT_EQ(devices("-1"), 0);
  EXPECT_EQ(Settings::read().devices, 1);
}

}  // namespace
}  // namespace hipsight::runtime
