// s_set_gpr_idx: vector instructions whose registers M0 moves, against the same instruction written
// with the registers that result.

#include <gtest/gtest.h>

#include "machine.h"
#include "support/error.h"
#include "values.h"

namespace hipsight::test {
namespace {

constexpr unsigned registers = 128;  // and as many accumulators behind them

class Indexed : public testing::Test {
 protected:
  /// A wave with something else in each lane of each register.
  static Machine machine(const HostIsa& host_isa) {
    Machine machine("gfx942", host_isa);
    Values values{1};
    for (unsigned r = 0; r < 2 * registers; ++r)
      for (unsigned lane = 0; lane < machine.lanes(); ++lane)
        machine.vgpr(r, lane) = static_cast<std::uint32_t>(values.random());
    machine.sgpr(0) = 8;
    machine.sgpr(2) = 12;
    machine.sgpr(3) = 136;
    return machine;
  }
  static void run(Machine& machine, std::string_view text) { machine.run(*machine.lower(text)); }
  /// Whether two texts leave the same vector registers and VCC behind.
  static void expect_same(std::string_view text, std::string_view plain) {
    for (const HostIsa& host_isa : host_isas()) {
      Machine indexed = machine(host_isa), direct = machine(host_isa);
      run(indexed, text);
      run(direct, plain);
      for (unsigned r = 0; r < 2 * registers; ++r)
        for (unsigned lane = 0; lane < indexed.lanes(); ++lane)
          ASSERT_EQ(indexed.vgpr(r, lane), direct.vgpr(r, lane))
              << host_isa.name << ": v" << r << ", lane " << lane << "\n"
              << text;
      EXPECT_EQ(indexed.sgpr(engine::reg::vcc), direct.sgpr(engine::reg::vcc)) << text;
    }
  }
  static std::string between(std::string_view operands, std::string_view instruction,
                             std::string_view by = "s0") {
    return "s_set_gpr_idx_on " + std::string(by) + ", gpr_idx(" + std::string(operands) + ")\n" +
           std::string(instruction) + "\ns_set_gpr_idx_off\nv_mov_b32 v2, v3";
  }
};

TEST_F(Indexed, EachOperand) {
  const struct {
    const char *operands, *instruction, *means;
  } cases[] = {
      {"SRC0", "v_mov_b32 v10, v20", "v_mov_b32 v10, v28"},
      {"DST", "v_mov_b32 v10, v20", "v_mov_b32 v18, v20"},
      {"SRC0,DST", "v_cvt_f32_i32 v10, v20", "v_cvt_f32_i32 v18, v28"},
      {"", "v_add_u32 v10, v20, v30", "v_add_u32 v10, v20, v30"},
      {"SRC1", "v_sub_u32 v10, v20, v30", "v_sub_u32 v10, v20, v38"},
      {"SRC0", "v_sub_u32 v10, s2, v30", "v_sub_u32 v10, s2, v30"},
      {"SRC1", "v_subrev_u32 v10, 5, v30", "v_subrev_u32 v10, 5, v38"},
      {"SRC0,SRC1,SRC2,DST", "v_bfi_b32 v10, v20, v30, v40", "v_bfi_b32 v18, v28, v38, v48"},
      {"SRC2", "v_fma_f32 v10, -v20, |v30|, -v40", "v_fma_f32 v10, -v20, |v30|, -v48"},
      {"SRC0,SRC1", "v_fma_f32 v10, -v20, |v30|, -v40", "v_fma_f32 v10, -v28, |v38|, -v40"},
      {"SRC0,DST", "v_add_f32_e64 v10, v20, v30 clamp mul:2",
       "v_add_f32_e64 v18, v28, v30 clamp mul:2"},
      {"SRC0,SRC2", "v_fma_f64 v[10:11], v[20:21], v[30:31], v[40:41]",
       "v_fma_f64 v[10:11], v[28:29], v[30:31], v[48:49]"},
      {"SRC0", "v_pk_mul_f32 v[10:11], v[20:21], v[30:31]",
       "v_pk_mul_f32 v[10:11], v[28:29], v[30:31]"},
      {"SRC1", "v_pk_add_f16 v10, v20, v30 op_sel:[0,1] neg_lo:[1,0]",
       "v_pk_add_f16 v10, v20, v38 op_sel:[0,1] neg_lo:[1,0]"},
      {"SRC0", "v_cmp_lt_u32 vcc, v20, v30", "v_cmp_lt_u32 vcc, v28, v30"},
      {"DST", "v_add_co_u32 v10, vcc, v20, v30", "v_add_co_u32 v18, vcc, v20, v30"},
      {"SRC0", "v_fmac_f32 v10, v20, v30", "v_fmac_f32 v10, v28, v30"},
      {"DST", "v_fmac_f32 v10, v20, v30", "v_fmac_f32 v18, v20, v30"},
      {"DST", "v_cvt_f16_f32 v10, v20", "v_cvt_f16_f32 v18, v20"},
  };
  for (const auto& c : cases)
    expect_same(between(c.operands, c.instruction), std::string(c.means) + "\nv_mov_b32 v2, v3");
}

TEST_F(Indexed, SeveralInstructionsAndDistances) {
  expect_same(
      "s_set_gpr_idx_on s0, gpr_idx(SRC0)\nv_mov_b32 v10, v20\nv_mov_b32 v11, v21\n"
      "s_set_gpr_idx_idx s2\nv_mov_b32 v12, v22\ns_set_gpr_idx_mode gpr_idx(DST)\n"
      "v_mov_b32 v13, v23\ns_set_gpr_idx_off\nv_mov_b32 v14, v24",
      "v_mov_b32 v10, v28\nv_mov_b32 v11, v29\nv_mov_b32 v12, v34\nv_mov_b32 v25, v23\n"
      "v_mov_b32 v14, v24");
}

TEST_F(Indexed, InactiveLanesKeepTheirValues) {
  expect_same("s_mov_b64 exec, 0xf0f0\n" + between("DST", "v_add_u32 v10, v20, v30"),
              "s_mov_b64 exec, 0xf0f0\nv_add_u32 v18, v20, v30\nv_mov_b32 v2, v3");
}

// CDNA3 ISA, "VGPR Indexing Details".
TEST_F(Indexed, InstructionsOfUnusualOperands) {
  const struct {
    const char *operands, *instruction, *means;
  } cases[] = {
      {"SRC0", "v_readlane_b32 vcc_lo, v20, 3", "v_readlane_b32 vcc_lo, v28, 3"},
      {"SRC1,SRC2,DST", "v_readlane_b32 vcc_lo, v20, s2", "v_readlane_b32 vcc_lo, v20, s2"},
      {"SRC0,DST", "v_readfirstlane_b32 vcc_lo, v20", "v_readfirstlane_b32 vcc_lo, v28"},
      {"DST", "v_writelane_b32 v10, s2, 5", "v_writelane_b32 v18, s2, 5"},
      {"SRC0,SRC1,SRC2", "v_writelane_b32 v10, s2, 5", "v_writelane_b32 v10, s2, 5"},
      {"SRC1", "v_fmamk_f32 v10, v20, 0x40400000, v30", "v_fmamk_f32 v10, v20, 0x40400000, v30"},
      {"SRC2", "v_fmamk_f32 v10, v20, 0x40400000, v30", "v_fmamk_f32 v10, v20, 0x40400000, v38"},
      {"SRC1", "v_fmaak_f32 v10, v20, v30, 0x40400000", "v_fmaak_f32 v10, v20, v38, 0x40400000"},
      {"SRC1", "v_lshlrev_b32 v10, v20, v30", "v_lshlrev_b32 v10, v20, v38"},
      {"SRC0,DST",
       "v_add_u32_sdwa v10, v20, v30 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 "
       "src1_sel:DWORD",
       "v_add_u32_sdwa v18, v28, v30 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 "
       "src1_sel:DWORD"},
      {"SRC0,DST", "v_add_u32_dpp v10, v20, v30 row_shr:1 row_mask:0xf bank_mask:0xf",
       "v_add_u32_dpp v18, v28, v30 row_shr:1 row_mask:0xf bank_mask:0xf"},
      {"SRC0,DST", "v_swap_b32 v10, v20", "v_swap_b32 v18, v28"},
      {"SRC0", "v_accvgpr_read_b32 v10, a20", "v_accvgpr_read_b32 v10, a28"},
      {"DST", "v_accvgpr_write_b32 a10, v20", "v_accvgpr_write_b32 a18, v20"},
      {"SRC0,DST", "v_accvgpr_mov_b32 a10, a20", "v_accvgpr_mov_b32 a18, a28"},
      {"SRC0,SRC2,DST", "v_mfma_f32_4x4x1_16b_f32 v[10:13], v20, v30, v[40:43]",
       "v_mfma_f32_4x4x1_16b_f32 v[18:21], v28, v30, v[48:51]"},
      {"SRC1,SRC2", "v_mfma_f32_4x4x1_16b_f32 a[10:13], v20, a30, a[40:43]",
       "v_mfma_f32_4x4x1_16b_f32 a[10:13], v20, a38, a[48:51]"},
  };
  for (const auto& c : cases)
    expect_same(between(c.operands, c.instruction), std::string(c.means) + "\nv_mov_b32 v2, v3");
}

TEST_F(Indexed, BeyondTheLastRegister) {
  // Sources are then the first register, and what would write there does nothing.
  expect_same(between("SRC0", "v_add_u32 v10, v120, v30", "s3"),
              "v_add_u32 v10, v0, v30\nv_mov_b32 v2, v3");
  expect_same(between("SRC0", "v_add_u32 v10, v119, v30", "s3"),
              "v_accvgpr_read_b32 v10, a127\nv_add_u32 v10, v10, v30\nv_mov_b32 v2, v3");
  expect_same(between("SRC0", "v_pk_mul_f32 v[10:11], v[120:121], v[30:31]", "s3"),
              "v_pk_mul_f32 v[10:11], v[0:1], v[30:31]\nv_mov_b32 v2, v3");
  expect_same(between("SRC0", "v_readfirstlane_b32 vcc_lo, v120", "s3"),
              "v_readfirstlane_b32 vcc_lo, v0\nv_mov_b32 v2, v3");
  expect_same(between("DST", "v_add_co_u32 v120, vcc, v20, v30", "s3"), "v_mov_b32 v2, v3");
  expect_same(between("DST", "v_writelane_b32 v120, s2, 5", "s3"), "v_mov_b32 v2, v3");
}

// One file: where accumulators begin, the others go on.
TEST_F(Indexed, RegistersFromTheFirstAccumulatorOn) {
  expect_same("v_mov_b32 v200, v20", "v_accvgpr_write_b32 a72, v20");
  const std::string after = "\nv_mov_b32 v2, v4\nv_mov_b32 v3, v5";
  expect_same("v_perm_b32 v10, v200, v255, v128" + after,
              "v_accvgpr_read_b32 v10, a72\nv_accvgpr_read_b32 v2, a127\n"
              "v_accvgpr_read_b32 v3, a0\nv_perm_b32 v10, v10, v2, v3" +
                  after);
}

}  // namespace
}  // namespace hipsight::test
