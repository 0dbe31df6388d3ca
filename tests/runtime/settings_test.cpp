// What HIP makes of what the environment asks for.
#include <gtest/gtest.h>

#include "runtime/state.h"

namespace hipsight::runtime {
namespace {

int devices(const char* visible) {
  return Settings::of({.gpus = 4, .visible_devices = visible}).devices;
}

TEST(Settings, DevicesMayBeHidden) {
  EXPECT_EQ(devices(""), 4);
  EXPECT_EQ(devices("2,0"), 2);
  EXPECT_EQ(devices("1,1,3"), 2);
  EXPECT_EQ(devices("0,7,1"), 1);  // there is no seventh: the list ends
  EXPECT_EQ(devices("-1"), 0);
  EXPECT_EQ(Settings::of({}).devices, 1);
}

TEST(Settings, LaunchesMayWait) {
  EXPECT_FALSE(Settings::of({}).blocking);
  EXPECT_TRUE(Settings::of({.launch_blocking = true}).blocking);
  EXPECT_TRUE(Settings::of({.serialize_kernel = true}).blocking);
  EXPECT_TRUE(Settings::of({.capture = "x"}).blocking);
  EXPECT_EQ(Settings::of({.capture = "x"}).capture, "x");
  EXPECT_EQ(Settings::of({.exit_wait = 0.5}).exit_wait, std::chrono::milliseconds(500));
}

}  // namespace
}  // namespace hipsight::runtime
