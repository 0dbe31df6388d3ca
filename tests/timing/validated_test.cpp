// What a kernel is taken for, and how far off predictions of its like are.
#include "timing/validated.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hipsight::timing {
namespace {

class FamilyTest : public testing::Test {
 protected:
  FamilyTest() : trace(gpu, 8, 1), group(trace.begins(0)) {
    code.reserve(16);
    result.workgroups = 8;
    prediction.seconds = 10e-6, prediction.launch_seconds = 2e-6;
    prediction.units = {{"vector unit", 0.9}, {"MALL", 0.5}, {"memory", 0.4}};
  }

  /// One wave executes it so often.
  const isa::Instruction& ran(const char* name, isa::Format format, unsigned executions) {
    isa::Instruction& in = code.emplace_back();
    in.row = &isa::row_of(name);
    in.format = format;
    in.gfx = isa::Gfx::Gfx942;
    result.regions.push_back({&in, 1});
    for (unsigned i = 0; i < executions; ++i) enter(0);
    return in;
  }
  void enter(unsigned wave) {
    group->enters(wave, static_cast<std::uint32_t>(result.regions.size()) - 1, ~0ull);
  }
  /// `waves` of the first workgroup load 4 bytes a lane, lanes so many bytes apart.
  void load(unsigned waves, unsigned stride) {
    const isa::Instruction& in = ran("GLOBAL_LOAD_DWORD", isa::Format::Global, 0);
    std::array<std::uint64_t, 64> at{};
    for (unsigned lane = 0; lane < 64; ++lane) at[lane] = 65536 + lane * stride;
    for (unsigned wave = 0; wave < waves; ++wave) {
      enter(wave);
      group->accesses(wave, in, {engine::Access::Space::Global, 4, 64, ~0ull, at.data()});
    }
  }
  std::string_view family() const { return family_of(gpu, trace, result, 64, prediction); }

  const gpus::Gpu gpu = gpus::find("mi300x");
  std::vector<isa::Instruction> code;
  profile::LaunchTrace trace;
  engine::GroupObserver* group;
  engine::Result result;
  Prediction prediction;
};

TEST_F(FamilyTest, MatrixInstructionsMakeAGemmOfTheirType) {
  ran("V_MFMA_F32_16X16X16BF16_1K", isa::Format::Vop3p, 100);
  ran("V_MFMA_F32_16X16X16F16", isa::Format::Vop3p, 99);
  ran("DS_READ_B128", isa::Format::Ds, 100);
  ran("V_EXP_F32", isa::Format::Vop1, 4);
  EXPECT_EQ(family(), "GEMM, bf16");
}

TEST_F(FamilyTest, AttentionIsNone) {
  ran("V_MFMA_F32_16X16X16BF16_1K", isa::Format::Vop3p, 400);
  ran("V_EXP_F32", isa::Format::Vop1, 100);
  EXPECT_EQ(family(), "");
}

TEST_F(FamilyTest, StreamsAreOfTheBusiestLevel) {
  load(4, 4);
  EXPECT_EQ(family(), "stream, MALL");
}

TEST_F(FamilyTest, WithLdsItIsNoStream) {
  load(4, 4);
  ran("DS_READ_B32", isa::Format::Ds, 1);
  EXPECT_EQ(family(), "");
}

TEST_F(FamilyTest, LanesFarApartAreStrided) {
  load(4, 256);
  EXPECT_EQ(family(), "strided");
}

TEST_F(FamilyTest, OneWaveAlone) {
  result.workgroups = 1;
  load(1, 4);
  EXPECT_EQ(family(), "one wave");
}

TEST_F(FamilyTest, SmallLaunchesAreMostlyLaunch) {
  load(4, 4);
  prediction.launch_seconds = 6e-6;
  EXPECT_EQ(family(), "small launch");
}

TEST(ModelErrors, OfAFamilyOnItsGpuOnly) {
  ASSERT_NE(error_of("mi300x", "GEMM, fp8"), nullptr);
  EXPECT_EQ(error_of("rx9070xt", "GEMM, fp8"), nullptr);
  EXPECT_EQ(error_of("mi300x", ""), nullptr);
}

TEST(ModelErrors, BoundMeasuredTimes) {
  const ModelError quarter{.p90 = 25}, all{.p90 = 100};
  Prediction prediction;
  prediction.seconds = 3;
  prediction.error = &quarter;
  EXPECT_EQ(prediction.seconds_between(), (std::array{2.4, 4.0}));
  prediction.error = &all;
  EXPECT_TRUE(std::isinf(prediction.seconds_between()[1]));
}

}  // namespace
}  // namespace hipsight::timing
