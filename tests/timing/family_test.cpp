// What a kernel is taken for. bench/validation/families has whole kernels.
#include "timing/family.h"

#include <gtest/gtest.h>

#include <array>

namespace hipsight::timing {
namespace {

using isa::Format;
using isa::Where;

isa::Operand reg(Where where, unsigned index) {
  isa::Operand operand;
  operand.where = where;
  operand.index = static_cast<std::uint16_t>(index);
  return operand;
}
isa::Operand v(unsigned index) {
  return reg(Where::Vgpr, index);
}
isa::Operand s(unsigned index) {
  return reg(Where::Sgpr, index);
}

class FamilyTest : public testing::Test {
 protected:
  FamilyTest() : trace(gpu, 8, 1), group(trace.begins(0)) {
    code.reserve(64);
    result.workgroups = 8;
    prediction.seconds = 10e-6, prediction.launch_seconds = 2e-6;
    prediction.units = {{"MALL", 0.5}, {"memory", 0.4}};
  }

  /// The first wave executes it so often. `sources`: registers of a lane.
  isa::Instruction& ran(const char* name, Format format, isa::Operand result_register = {},
                        std::initializer_list<isa::Operand> sources = {}, unsigned times = 1) {
    isa::Instruction& in = code.emplace_back();
    in.row = &isa::row_of(name);
    in.format = format;
    in.gfx = isa::Gfx::Gfx942;
    in.dst = result_register;
    std::ranges::copy(sources, in.src.begin());
    result.regions.push_back({&in, 1});
    for (unsigned i = 0; i < times; ++i) enter(0);
    return in;
  }
  void enter(unsigned wave) {
    group->enters(wave, static_cast<std::uint32_t>(result.regions.size()) - 1, ~0ull);
  }
  /// A and B of two registers, C and the result of four.
  void product(unsigned a, unsigned b, unsigned c, unsigned times = 1) {
    ran("V_MFMA_F32_16X16X16BF16_1K", Format::Vop3p, v(c), {v(a), v(b), v(c)}, times);
  }
  /// What the kernel's arguments point to.
  void load_by_argument(unsigned to, unsigned at) {
    ran("S_LOAD_DWORDX2", Format::Smem, s(8)).base = s(0);
    ran("GLOBAL_LOAD_DWORDX2", Format::Global, v(to), {v(at)}).base = s(8);
  }
  void store(unsigned from, const char* name = "GLOBAL_STORE_DWORDX4") {
    ran(name, Format::Global, {}, {v(200), v(from)}).base = s(8);
  }
  /// `waves` of the first workgroup load 4 bytes a lane, lanes so many bytes apart.
  void load(unsigned waves, unsigned stride) {
    const isa::Instruction& in = ran("GLOBAL_LOAD_DWORD", Format::Global, v(1), {v(0)}, 0);
    std::array<std::uint64_t, 64> at{};
    for (unsigned lane = 0; lane < 64; ++lane) at[lane] = 65536 + lane * stride;
    for (unsigned wave = 0; wave < waves; ++wave) {
      enter(wave);
      group->accesses(wave, in, {engine::Access::Space::Global, 4, 64, ~0ull, at.data()});
    }
  }
  std::string family(bool unlike = false) const {
    return family_of(gpu, trace, doings_of(trace, result, 64, unlike), result.workgroups, 64,
                     prediction);
  }

  const gpus::Gpu gpu = gpus::find("mi300x");
  std::vector<isa::Instruction> code;
  profile::LaunchTrace trace;
  engine::GroupObserver* group;
  engine::Result result;
  Prediction prediction;
};

/// A GEMM as the plainest are: tiles by way of LDS, sums stored once, all at the end.
class GemmTest : public FamilyTest {
 protected:
  void begin(unsigned products = 100) {
    load_by_argument(20, 200);
    ran("DS_WRITE_B64", Format::Ds, {}, {v(30), v(20)});
    ran("DS_READ_B64", Format::Ds, v(40), {v(30)});
    product(40, 42, 100, products);
  }
  void end() {
    ran("V_ADD_F32", Format::Vop2, v(100), {v(100), v(150)});
    store(100);
  }
};

TEST_F(GemmTest, IsOfTheTypeOfMostProducts) {
  begin();
  ran("V_MFMA_F32_16X16X16F16", Format::Vop3p, v(110), {v(40), v(42), v(110)}, 99);
  ran("V_EXP_F32", Format::Vop1, v(100), {v(100)}, 4);
  end();
  EXPECT_EQ(family(), "GEMM, bf16");
}

TEST_F(GemmTest, OfUnlikeWorkgroupsIsUneven) {
  begin();
  end();
  EXPECT_EQ(family(true), "uneven GEMM, bf16");
}

TEST_F(GemmTest, ThatSharesSumsIsSplit) {
  begin();
  store(100, "GLOBAL_ATOMIC_ADD_F32");
  EXPECT_EQ(family(), "split GEMM, bf16");
}

TEST_F(GemmTest, ThatScalesSumsOnTheWayIsScaled) {
  for (int block = 0; block < 4; ++block) {
    begin(4);
    ran("V_FMA_F32", Format::Vop3, v(120), {v(100), v(150), v(120)});
  }
  end();
  EXPECT_EQ(family(), "scaled GEMM, bf16");
}

TEST_F(GemmTest, ThatComputesItsOperandsConverts) {
  load_by_argument(20, 200);
  ran("V_CVT_F32_F16", Format::Vop1, v(40), {v(20)});
  product(40, 42, 100);
  end();
  EXPECT_EQ(family(), "converting GEMM, bf16");
}

TEST_F(GemmTest, ThatMovesItsOperandsDoesNot) {
  load_by_argument(20, 200);
  ran("V_PERM_B32", Format::Vop3, v(40), {v(20), v(21), v(150)});
  product(40, 42, 100);
  end();
  EXPECT_EQ(family(), "GEMM, bf16");
}

TEST_F(GemmTest, OfSeveralTilesIsPersistent) {
  begin();
  end();
  begin();
  end();
  EXPECT_EQ(family(), "persistent GEMM, bf16");
}

/// Rows whose numbers lie in memory, as tokens of experts do: their addresses come out of it.
TEST_F(GemmTest, OfRowsByIndexIsGathered) {
  load_by_argument(18, 200);
  ran("V_LSHLREV_B32", Format::Vop2, v(19), {v(150), v(18)});
  load_by_argument(20, 19);
  product(20, 42, 100);
  end();
  EXPECT_EQ(family(), "gathered GEMM, bf16");
}

/// The number of an expert, by scalars: a load by what an argument points to.
TEST_F(GemmTest, OfAnExpertByScalarsIsGathered) {
  ran("S_LOAD_DWORDX2", Format::Smem, s(8)).base = s(0);
  ran("S_LOAD_DWORD", Format::Smem, s(10)).base = s(8);
  ran("S_ADD_U32", Format::Sop2, s(12), {s(10), s(8)});
  ran("GLOBAL_LOAD_DWORDX2", Format::Global, v(20), {v(200)}).base = s(12);
  product(20, 42, 100);
  end();
  EXPECT_EQ(family(), "gathered GEMM, bf16");
}

TEST_F(GemmTest, WithProductsOfProductsIsChained) {
  begin();
  ran("V_PACK_B32_F16", Format::Vop3, v(40), {v(100), v(101)});
  product(40, 42, 110);
  store(110);
  EXPECT_EQ(family(), "chained GEMM, bf16");
}

TEST_F(GemmTest, AttentionChainsAndHasManyFunctions) {
  begin(8);
  ran("V_EXP_F32", Format::Vop1, v(100), {v(100)}, 4);
  ran("V_CVT_PKRTZ_F16_F32", Format::Vop3, v(40), {v(100), v(101)});
  product(40, 42, 110, 8);
  store(110);
  EXPECT_EQ(family(), "attention, bf16");
}

TEST_F(GemmTest, WithManyFunctionsAlone) {
  begin(8);
  ran("V_EXP_F32", Format::Vop1, v(100), {v(100)}, 4);
  end();
  EXPECT_EQ(family(), "GEMM with functions, bf16");
}

TEST_F(FamilyTest, StreamsAreOfTheBusiestLevel) {
  load(4, 4);
  EXPECT_EQ(family(), "stream, MALL");
  prediction.units.insert(prediction.units.begin(), {"vector unit", 0.9});
  EXPECT_EQ(family(), "arithmetic");
}

TEST_F(FamilyTest, LanesThatExchangeValuesAreNoStream) {
  load(4, 4);
  isa::Instruction& add = ran("V_ADD_F32", Format::Vop2, v(1), {v(1), v(1)});
  EXPECT_EQ(family(), "stream, MALL");
  add.variant = isa::Variant::Dpp16;
  EXPECT_EQ(family(), "exchange of lanes");
  add.variant = isa::Variant::Plain;
  ran("DS_READ_B32", Format::Ds, v(2), {v(3)});
  EXPECT_EQ(family(), "exchange of lanes");
}

TEST_F(FamilyTest, ConversionsAndFunctionsAreElementwise) {
  load(4, 4);
  ran("V_CVT_F32_F16", Format::Vop1, v(1), {v(1)});
  EXPECT_EQ(family(), "elementwise");
}

TEST_F(FamilyTest, AddressesOutOfMemoryAreAGather) {
  load(4, 4);
  ran("GLOBAL_LOAD_DWORD", Format::Global, v(2), {v(1)});
  EXPECT_EQ(family(), "gather");
}

TEST_F(FamilyTest, AtomicsAndUnlikeWorkgroups) {
  load(4, 4);
  EXPECT_EQ(family(true), "uneven");
  store(100, "GLOBAL_ATOMIC_ADD");
  EXPECT_EQ(family(), "atomics");
}

TEST_F(FamilyTest, LanesFarApartAreStrided) {
  load(4, 256);
  EXPECT_EQ(family(), "strided");
}

TEST_F(FamilyTest, OneWaveFollowsAddresses) {
  result.workgroups = 1;
  load(1, 4);
  EXPECT_EQ(family(), "stream, MALL");
  ran("GLOBAL_LOAD_DWORD", Format::Global, v(2), {v(1)});
  EXPECT_EQ(family(), "one wave");
}

TEST_F(FamilyTest, SmallLaunchesAreMostlyLaunch) {
  load(4, 4);
  prediction.launch_seconds = 6e-6;
  EXPECT_EQ(family(), "small launch");
}

}  // namespace
}  // namespace hipsight::timing
