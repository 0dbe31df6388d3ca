// Textures on linear memory: what kernels read is what the host wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run.h"

namespace programs {
namespace {

class Textures : public testing::TestWithParam<const char*> {};

TEST_P(Textures, GiveWhatTheHostWrote) {
  const Outcome outcome = hipsight_run({"--no-report", "--gpu", GetParam()}, {"textures"});
  EXPECT_EQ(outcome.status, 0) << describe(outcome);
  EXPECT_EQ(outcome.out,
            "no result: hipErrorInvalidValue\n"
            "no resource: hipErrorInvalidValue\n"
            "empty: hipErrorInvalidValue\n"
            "odd channels: hipErrorInvalidChannelDescriptor\n"
            "normalised floats: hipErrorInvalidValue\n"
            "pitched: hipErrorNotSupported\n"
            "destroyed: hipErrorInvalidValue\n");
  EXPECT_THAT(outcome.err, testing::HasSubstr("textures on arrays and pitched memory"));
}

INSTANTIATE_TEST_SUITE_P(, Textures, testing::Values("mi210", "rx7900xtx", "rx9070xt"));

// As on AMD's GPUs, which have no texture units there.
TEST(TexturesOnCdna3, AreRefused) {
  const Outcome outcome = hipsight_run({"--no-report", "--gpu", "mi300x"}, {"textures"});
  EXPECT_EQ(outcome.status, 70) << describe(outcome);
  EXPECT_THAT(outcome.out, testing::HasSubstr("hipErrorNotSupported"));
}

}  // namespace
}  // namespace programs
