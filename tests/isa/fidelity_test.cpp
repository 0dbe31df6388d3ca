// Which instructions are exact, and in which mode.
#include "isa/fidelity.h"

#include <gtest/gtest.h>

namespace hipsight::isa {
namespace {

struct Case {
  const char* name;
  Gfx gfx;
  Fidelity fast, exact;
};

TEST(Fidelity, IsWhatIsPublished) {
  constexpr auto exact = Fidelity::Exact, approximate = Fidelity::Approximate,
                 assumed = Fidelity::Assumed;
  const Case cases[]{
      {"V_ADD_F32", Gfx::Gfx942, exact, exact},
      {"V_FMA_F64", Gfx::Gfx90a, exact, exact},
      {"V_DIV_FIXUP_F32", Gfx::Gfx11, exact, exact},
      {"V_EXP_F32", Gfx::Gfx942, approximate, approximate},
      {"V_RCP_F64", Gfx::Gfx90a, approximate, approximate},
      {"V_S_RSQ_F32", Gfx::Gfx12, approximate, approximate},
      {"V_MFMA_F32_16X16X4F32", Gfx::Gfx942, exact, exact},
      {"V_MFMA_F32_16X16X8XF32", Gfx::Gfx942, approximate, exact},
      {"V_MFMA_F64_16X16X4F64", Gfx::Gfx90a, exact, exact},
      {"V_MFMA_F32_32X32X8F16", Gfx::Gfx90a, approximate, exact},
      {"V_MFMA_F32_32X32X8BF16_1K", Gfx::Gfx942, approximate, exact},
      {"V_MFMA_F32_32X32X8F16", Gfx::Gfx950, assumed, assumed},
      {"V_MFMA_SCALE_F32_16X16X128_F8F6F4", Gfx::Gfx950, assumed, assumed},
      {"V_MFMA_I32_16X16X64_I8", Gfx::Gfx950, exact, exact},
      {"V_SMFMAC_F32_16X16X32_F16", Gfx::Gfx942, assumed, assumed},
      {"V_SMFMAC_I32_16X16X64_I8", Gfx::Gfx942, exact, exact},
      {"V_WMMA_F32_16X16X16_F16", Gfx::Gfx11, approximate, exact},
      {"V_WMMA_F32_16X16X16_FP8_BF8", Gfx::Gfx12, assumed, assumed},
      {"V_WMMA_I32_16X16X16_IU8", Gfx::Gfx12, exact, exact},
      {"V_DOT2_F32_F16", Gfx::Gfx11, exact, exact},
      {"V_DOT2_F32_F16", Gfx::Gfx942, assumed, assumed},
      {"V_DOT4_I32_I8", Gfx::Gfx90a, exact, exact},
      {"GLOBAL_ATOMIC_ADD_F32", Gfx::Gfx942, assumed, assumed},
      {"GLOBAL_ATOMIC_ADD", Gfx::Gfx942, exact, exact},
      {"DS_ADD_F32", Gfx::Gfx11, assumed, assumed},
      {"DS_ADD_U32", Gfx::Gfx11, exact, exact},
      {"S_MEMTIME", Gfx::Gfx90a, assumed, assumed},
  };
  for (const Case& c : cases) {
    Instruction in;
    in.row = &row_of(c.name);
    in.gfx = c.gfx;
    EXPECT_EQ(fidelity_of(in, false).fidelity, c.fast) << c.name;
    EXPECT_EQ(fidelity_of(in, true).fidelity, c.exact) << c.name;
    EXPECT_EQ(fidelity_of(in, false).why.empty(), c.fast == Fidelity::Exact) << c.name;
  }
}

TEST(Fidelity, OfRegistersOfTheHardwareIsAssumedButForMode) {
  Instruction in;
  in.row = &row_of(Opcode::S_GETREG_B32);
  in.imm = {in.row->field, 1};  // HW_REG_MODE
  EXPECT_EQ(fidelity_of(in, false).fidelity, Fidelity::Exact);
  in.imm = {in.row->field, 4 | 31 << 11};  // HW_REG_HW_ID, all its bits
  EXPECT_EQ(fidelity_of(in, false).fidelity, Fidelity::Assumed);
}

}  // namespace
}  // namespace hipsight::isa
