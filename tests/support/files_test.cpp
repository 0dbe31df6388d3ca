#include "support/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "support/error.h"

namespace hipsight {
namespace {

std::string error_of(const std::filesystem::path& file) {
  try {
    read_bytes(file);
  } catch (const Exception& error) {
    return error.what();
  }
  return "no error";
}

TEST(Files, are_read_whole) {
  const TemporaryFolder folder;
  const std::string text = "one\n" + std::string(3, '\0') + std::string(100'000, 'x');
  write_file(folder / "a/b", text);
  EXPECT_EQ(read_text(folder / "a/b"), text);
  EXPECT_EQ(read_file(folder / "a/b"), text);
  EXPECT_EQ(read_bytes(folder / "a/b").size(), text.size());
  write_file(folder / "empty", "");
  EXPECT_TRUE(read_bytes(folder / "empty").empty());
  EXPECT_FALSE(read_text("/proc/self/status").empty());  // its size is said to be 0
}

// Nothing of this may wait, or read without end.
TEST(Files, are_no_pipes_devices_or_folders) {
  const TemporaryFolder folder;
  mkfifo((folder / "pipe").c_str(), 0600);
  EXPECT_THAT(error_of(folder / "pipe"), testing::HasSubstr("pipe': it is a pipe, and no file"));
  EXPECT_THAT(error_of("/dev/zero"), testing::HasSubstr("it is a device, and no file"));
  EXPECT_THAT(error_of("/tmp"), testing::HasSubstr("it is a folder"));
  EXPECT_THAT(error_of(folder / "none"), testing::HasSubstr("No such file"));
  EXPECT_EQ(read_file(folder / "pipe"), "");
}

TEST(Files, that_no_memory_holds_are_refused) {
  const TemporaryFolder folder;
  {
    std::ofstream out(folder / "holes");
  }
  std::error_code none;
  std::filesystem::resize_file(folder / "holes", std::uintmax_t{1} << 42, none);
  if (none) GTEST_SKIP() << "no such large files here";
  EXPECT_THAT(error_of(folder / "holes"), testing::HasSubstr("are more than the memory"));
}

}  // namespace
}  // namespace hipsight
