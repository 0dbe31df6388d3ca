#include "support/pattern.h"

#include <gtest/gtest.h>

#include "support/error.h"

namespace hipsight {
namespace {

TEST(Patterns, are_found_anywhere) {
  EXPECT_TRUE(Pattern("gemm").is_in("void sgemm(float*)"));
  EXPECT_TRUE(Pattern("^void s?gemm<(32|64)>").is_in("void gemm<64>(float*)"));
  EXPECT_FALSE(Pattern("^gemm").is_in("sgemm"));
  EXPECT_TRUE(Pattern("k\xff").is_in("k\xff"));  // a name of any bytes
}

TEST(Patterns, that_are_none_are_errors) {
  for (const char* wrong : {"(", "a{2,1}", "*", "(a{1000}){1000}", "(?=a)", "\\1"})
    EXPECT_THROW(Pattern{wrong}, Exception) << wrong;
}

// Both take a backtracking engine for ever, or all of the stack.
TEST(Patterns, take_time_of_the_length_of_the_name) {
  EXPECT_FALSE(Pattern("(.*)*Z").is_in(std::string(60'000, 'a')));
  EXPECT_FALSE(Pattern("(a|aa)+$").is_in(std::string(60'000, 'a') + "b"));
  EXPECT_TRUE(Pattern("(.*)*Z").is_in(std::string(60'000, 'a') + "Z"));
}

}  // namespace
}  // namespace hipsight
