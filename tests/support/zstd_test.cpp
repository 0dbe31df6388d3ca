#include "support/zstd.h"

#include <gtest/gtest.h>

#include <random>

#include "support/error.h"

namespace hipsight {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST(Zstd, BringsBackWhatWasPacked) {
  std::mt19937 random(1);
  std::string noise(100'000, 0);
  for (char& one : noise) one = static_cast<char>(random());
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(1 << 20, 'x'), noise}) {
    const std::string frame = compress(text);
    EXPECT_TRUE(is_zstd(frame));
    EXPECT_EQ(decompress(frame), text);
    EXPECT_EQ(zstd_frame_size(bytes_of(frame)), frame.size());
    EXPECT_EQ(zstd_frame_size(bytes_of(frame + "behind")), frame.size());
  }
  EXPECT_FALSE(is_zstd("plain"));
}

TEST(Zstd, TellsDamage) {
  const std::string frame = compress(std::string(1000, 'a') + std::string(1000, 'b'));
  for (std::size_t length = 0; length < frame.size(); ++length) {
    EXPECT_THROW(decompress(frame.substr(0, length)), Exception) << length;
    EXPECT_FALSE(zstd_frame_size(bytes_of(frame).first(length))) << length;
  }
  EXPECT_THROW(decompress("plain"), Exception);
  EXPECT_THROW(decompress(frame, 1999), Exception);
  // A header that promises 2^60 bytes: the magic, eight bytes for the size in one segment.
  std::string lie("\x28\xb5\x2f\xfd\xe0", 5);
  lie += std::string("\0\0\0\0\0\0\0\x10", 8) + std::string("\x01\0\0", 3);
  EXPECT_THROW(decompress(lie), Exception);
}

}  // namespace
}  // namespace hipsight
