// Broken input: every truncation and thousands of single-byte mutations end in a result or an
// Exception, never in a crash or a hang.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "files.h"
#include "use.h"

namespace hipsight::code {
namespace {

using Bytes = std::vector<std::byte>;

class Broken : public ::testing::TestWithParam<std::string> {
 protected:
  Bytes bytes = testing::read_object(GetParam());

  /// Uses the bytes; whether that ended in an Exception, which must name the file.
  bool fails(std::span<const std::byte> broken) {
    std::string error = testing::error_of([&] {
      GetParam().ends_with(".co") ? testing::use_code_object(broken)
                                  : testing::use_fat_binaries(broken);
    });
    EXPECT_TRUE(error.empty() || error.starts_with("broken.")) << error;
    return !error.empty();
  }
};

TEST_P(Broken, truncated_anywhere) {
  ASSERT_FALSE(fails(bytes));
  // Each truncation gets memory of its own, so that a sanitizer sees a read past its end.
  std::size_t step = bytes.size() > 50'000 ? 7 : 1;
  for (std::size_t size = 0; size < bytes.size(); size += step) {
    Bytes cut(bytes.begin(), bytes.begin() + size);
    cut.shrink_to_fit();
    EXPECT_TRUE(fails(cut)) << size << " of " << bytes.size() << " bytes";
  }
}

TEST_P(Broken, one_byte_changed) {
  std::mt19937 random(12345);
  unsigned failures = 0;
  for (int i = 0; i < 5000; ++i) {
    // Half of the changes hit the headers and metadata at the front, where most of the danger is.
    std::size_t at = random() % (i % 2 ? bytes.size() : std::min<std::size_t>(bytes.size(), 4096));
    std::byte old = bytes[at];
    bytes[at] = std::byte(random());
    failures += fails(bytes);
    bytes[at] = old;
  }
  EXPECT_GT(failures, 100u);
  EXPECT_FALSE(fails(bytes));
}

INSTANTIATE_TEST_SUITE_P(Robustness, Broken,
                         ::testing::Values("gfx90a.co", "gfx90a.v4.co", "gfx1201.packed_lines.co",
                                           "relocations.co", "plain.hipfb", "packed2.hipfb",
                                           "packed3.hipfb", "libplain.so"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST(Robustness, a_size_that_lies_costs_no_memory) {
  Bytes bytes = testing::read_object("packed3.hipfb");
  std::uint64_t huge = std::uint64_t{1} << 60;
  std::memcpy(bytes.data() + 16, &huge, 8);
  std::string error = testing::error_of([&] { FatBinary::open(bytes, "liar"); });
  EXPECT_NE(error.find("cannot unpack to 1152921504606846976"), std::string::npos) << error;
}

}  // namespace
}  // namespace hipsight::code
