// Live registers of code whose live ranges can be told by looking at it.
#include "analysis/live_registers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "../isa/assemble.h"

namespace hipsight::analysis {
namespace {

using isa::VectorRegisters;
using File = VectorRegisters::File;
using Half = VectorRegisters::Half;

/// "v0-3 v7.l a0-15": the registers of a set, halves where only one is in it.
std::string text_of(const VectorRegisters& set) {
  std::string out;
  const auto part = [&](File file, unsigned index) {
    const bool low = set.has(VectorRegisters::place(file, index, Half::Low));
    const bool high = set.has(VectorRegisters::place(file, index, Half::High));
    return low && high ? 'b' : low ? 'l' : high ? 'h' : '-';
  };
  for (const File file : {File::Vgpr, File::Agpr}) {
    for (unsigned i = 0; i < VectorRegisters::per_file; ++i) {
      const char what = part(file, i);
      if (what == '-') continue;
      unsigned last = i;
      if (what == 'b')
        while (last + 1 < VectorRegisters::per_file && part(file, last + 1) == 'b') ++last;
      out += fmt::format("{}{}{}", out.empty() ? "" : " ", file == File::Vgpr ? 'v' : 'a', i);
      if (last > i) out += fmt::format("-{}", last);
      if (what != 'b') out += fmt::format(".{}", what);
      i = last;
    }
  }
  return out;
}

struct Code {
  Listing listing;
  LiveRegisters live;
};

VectorRegisters all_registers() {
  VectorRegisters all = VectorRegisters::all(Half::Low);
  all |= VectorRegisters::all(Half::High);
  return all;
}

Code analysed(std::string_view processor, const std::string& text, unsigned vgprs,
              const VectorRegisters& given) {
  Code code;
  code.listing = listing(test::assemble(processor, text), 0, 0, processor);
  code.live = live_registers(code.listing, vgprs, given);
  return code;
}

/// Lines of "what is live before it | instruction"; labels stand on their own. All of it is
/// reached, and all registers hold something at first, unless others are `given`.
void expect_live(std::string_view processor, const std::string& lines, unsigned vgprs = 256,
                 const VectorRegisters& given = all_registers()) {
  std::string text;
  std::vector<std::string> expected;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    const auto bar = line.find('|');
    text += line.substr(bar == line.npos ? 0 : bar + 1) + "\n";
    if (bar == line.npos) continue;
    std::string words;
    std::istringstream before(line.substr(0, bar));
    for (std::string word; before >> word;) words += (words.empty() ? "" : " ") + word;
    expected.push_back(words);
  }
  const Code code = analysed(processor, text, vgprs, given);
  ASSERT_EQ(code.live.before.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(text_of(code.live.before[i]), expected[i])
        << processor << ": before line " << i << ", " << code.listing.lines[i].instruction.name();
}

TEST(LiveRegisters, of_a_straight_line) {
  for (const char* processor : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"})
    expect_live(processor, R"(
      v0         | v_mov_b32 v1, 1.0
      v0-1       | v_add_f32 v2, v0, v1
      v0 v2      | v_mul_f32 v0, v0, v2
      v0 v2      | v_mov_b32 v5, 0
      v0 v2      | v_mov_b32 v1, v2
      v0-1       | v_fma_f32 v1, v0, v0, v1
      v1         | v_readfirstlane_b32 s0, v1
                 | s_endpgm)");
}

TEST(LiveRegisters, counts_the_larger_of_before_and_after) {
  const Code code = analysed("gfx942", R"(
    v_mov_b32 v9, 1.0                 ; nobody reads it
    v_add_f32 v2, v0, v1              ; two die, one is born
    global_load_dwordx4 v[4:7], v[2:3], off
    v_add_f32 v4, v4, v7
    global_store_dword v[2:3], v4, off
    s_endpgm)",
                             256, all_registers());
  // Before the first line: v0, v1, v3.
  std::vector<unsigned> counts;
  for (const auto& at : code.live.at) counts.push_back(at.vgprs);
  EXPECT_EQ(counts, (std::vector<unsigned>{4, 3, 6, 4, 3, 0}));
  EXPECT_EQ(code.live.fullest, 2u);
  EXPECT_EQ(code.live.most().both(), 6u);
}

TEST(LiveRegisters, of_branches) {
  expect_live("gfx942", R"(
      v0 v2-3    | s_cbranch_scc0 other
      v0         | v_mov_b32 v1, v0
      v1         | s_branch both
    other:
      v2-3       | v_add_f32 v1, v2, v3
    both:
      v1         | v_readfirstlane_b32 s0, v1
                 | s_endpgm)");
}

TEST(LiveRegisters, of_a_loop) {
  expect_live("gfx1100", R"(
      v0 v3      | v_mov_b32 v1, 0
    again:
      v0-1 v3    | v_add_f32 v2, v0, v3
      v0-3       | v_add_f32 v1, v1, v2
      v0-1 v3    | s_cbranch_scc1 again
      v1         | v_readfirstlane_b32 s0, v1
                 | s_endpgm)");
}

TEST(LiveRegisters, of_a_loop_in_a_loop_laid_out_backwards) {
  expect_live("gfx942", R"(
      v0 v5      | s_branch outer
    inner:
      v0-1 v5    | v_add_f32 v1, v1, v5
      v0-1 v5    | s_cbranch_scc1 inner
      v0-1 v5    | v_add_f32 v0, v0, v1
    outer:
      v0 v5      | v_mov_b32 v1, 0
      v0-1 v5    | s_cbranch_vccnz inner
      v0         | v_readfirstlane_b32 s0, v0
                 | s_endpgm)");
}

// The compiler leaves the branch round a few instructions out; the others' values go round them.
TEST(LiveRegisters, of_an_if_without_a_branch) {
  expect_live("gfx942", R"(
      v0 v2      | v_mov_b32 v1, 0
      v0-2       | v_cmp_gt_u32 vcc, 8, v0
      v1-2       | s_and_saveexec_b64 s[0:1], vcc
      v2         | v_mov_b32 v3, v2
      v3         | v_add_f32 v1, v3, v3
      v1         | s_or_b64 exec, exec, s[0:1]
      v1         | v_readfirstlane_b32 s0, v1
                 | s_endpgm)");
  // With the branch it is the same.
  expect_live("gfx1100", R"(
      v0 v2      | v_mov_b32 v1, 0
      v0-2       | v_cmp_gt_u32 vcc_lo, 8, v0
      v1-2       | s_and_saveexec_b32 s0, vcc_lo
      v1-2       | s_cbranch_execz after
      v2         | v_mov_b32 v3, v2
      v3         | v_add_f32 v1, v3, v3
    after:
      v1         | s_or_b32 exec_lo, exec_lo, s0
      v1         | v_readfirstlane_b32 s0, v1
                 | s_endpgm)");
}

TEST(LiveRegisters, of_an_else_without_a_branch) {
  expect_live("gfx942", R"(
      v0 v2-4    | v_cmp_gt_u32 vcc, 8, v0
      v2-4       | s_and_saveexec_b64 s[0:1], vcc
      v2-4       | v_add_f32 v1, v2, v2
      v1 v3-4    | s_xor_b64 s[0:1], exec, s[0:1]
      v1 v3-4    | s_andn2_saveexec_b64 s[0:1], s[0:1]
      v3-4       | v_add_f32 v1, v3, v4
      v1         | s_or_b64 exec, exec, s[0:1]
      v1         | v_readfirstlane_b32 s0, v1
                 | s_endpgm)");
}

TEST(LiveRegisters, of_code_that_ends_in_an_else) {
  expect_live("gfx942", R"(
      v0-1       | v_cmp_gt_u32 vcc, v0, v1
                 | s_and_saveexec_b64 s[0:1], vcc
                 | s_andn2_saveexec_b64 s[0:1], s[0:1])");
}

// One restore ends both: v1 of lanes that skip the outer one goes round v1's second value, too.
TEST(LiveRegisters, of_an_if_in_an_if_that_end_together) {
  expect_live("gfx942", R"(
      v0-1 v5-6  | s_and_saveexec_b64 s[0:1], vcc
      v0 v5-6    | v_mov_b32 v1, v5
      v0-1 v6    | v_cmp_gt_u32 vcc, 8, v0
      v1 v6      | s_and_saveexec_b64 s[2:3], vcc
      v6         | v_mov_b32 v1, v6
      v1         | s_or_b64 exec, exec, s[0:1]
      v1         | v_readfirstlane_b32 s0, v1
                 | s_endpgm)");
}

TEST(LiveRegisters, of_wide_accesses) {
  expect_live("gfx942", R"(
      v0-1       | global_load_dwordx4 v[4:7], v[0:1], off
      v0-1 v6-7  | ds_read_b64 v[8:9], v0
      v0-1 v6-9  | v_pk_add_f32 v[4:5], v[6:7], v[8:9]
      v0-1 v4-7  | global_store_dwordx4 v[0:1], v[4:7], off
                 | s_endpgm)");
}

TEST(LiveRegisters, of_atomics) {
  expect_live("gfx942", R"(
      v0-4       | global_atomic_add v5, v[0:1], v2, off sc0
      v0-1 v3-5  | buffer_atomic_add v5, v3, s[0:3], 0 offen sc0
      v0-1 v4-5  | global_atomic_cmpswap v[0:1], v[4:5], off
                 | s_endpgm)");
}

TEST(LiveRegisters, of_matrix_instructions_and_accumulation_registers) {
  expect_live("gfx942", R"(
      v0-3 a16   | v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], 0
      v0-3 a0-16 | v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]
      v0-1 a0 a16 | v_accvgpr_read_b32 v4, a0
      v0-1 v4 a16 | v_accvgpr_write_b32 a1, v4
      v0-1 v4 a16 | global_store_dword v[0:1], a16, off
      v4         | v_readfirstlane_b32 s0, v4
                 | s_endpgm)");
  expect_live("gfx942", R"(
      v0-3 v6-10 | v_smfmac_f32_16x16x32_f16 v[0:3], v[2:3], v[6:9], v10
      v0-3       | v_pk_add_f32 v[0:1], v[0:1], v[2:3]
                 | s_endpgm)");
  expect_live("gfx1100", R"(
      v0-23      | v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]
      v16-23     | global_store_b128 v[16:17], v[20:23], off
      v18-19     | v_pk_add_f16 v0, v18, v19
                 | s_endpgm)");
}

TEST(LiveRegisters, of_dual_issue) {
  expect_live("gfx1100", R"(
      v1-2 v4-5  | v_dual_mov_b32 v0, v1 :: v_dual_add_f32 v3, v4, v5
      v0-3 v5    | v_dual_fmac_f32 v0, v1, v3 :: v_dual_fmac_f32 v3, v2, v5
      v0 v3      | v_dual_mov_b32 v0, v3 :: v_dual_mov_b32 v3, v0
      v0 v3      | v_add_f32 v0, v0, v3
      v0         | v_readfirstlane_b32 s0, v0
                 | s_endpgm)");
}

TEST(LiveRegisters, of_halves) {
  expect_live("gfx90a", R"(
      v0-1       | global_load_short_d16 v2, v[0:1], off
      v0-1 v2.l  | global_load_short_d16_hi v2, v[0:1], off
      v2         | v_readfirstlane_b32 s0, v2
                 | s_endpgm)");
  expect_live("gfx90a", R"(
      v1-2 v5    | v_fma_mixlo_f16 v0, v1, v2, v5
      v0.l v1-2 v5 | v_fma_mixhi_f16 v0, v1, v2, v5
      v0.l v1-2  | v_add_f16_sdwa v0, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
      v0-2       | v_add_f16_sdwa v0, v1, v2 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
      v0-2       | v_add_f16_sdwa v1, v1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
      v0-1       | v_add_f32 v0, v0, v1
      v0         | v_readfirstlane_b32 s0, v0
                 | s_endpgm)");
  expect_live("gfx942", R"(
      v1-4       | v_cvt_pk_fp8_f32 v0, v1, v2
      v0.l v1 v3-4 | v_cvt_pk_fp8_f32 v0, v3, v4 op_sel:[0,0,1]
      v0-1       | v_cvt_sr_fp8_f32 v0, v1, v1 op_sel:[0,0,0,1]
      v0         | v_readfirstlane_b32 s0, v0
                 | s_endpgm)");
  // What is called v_add_f16 on a register's half there is a half in LLVM's view, too.
  expect_live("gfx1100", R"(
      v1 v2.h    | v_add_f16 v0.l, v1.l, v2.h
      v0.l v1    | v_mov_b16 v0.h, v1.h
      v0 v1.l    | v_fmac_f16 v1.l, v0.l, v0.h
      v0 v1.l    | v_pk_add_f16 v0, v0, v0
      v0 v1.l    | ds_store_b32 v0, v0
      v1.l       | v_cvt_f32_f16 v0, v1.l
      v0         | v_readfirstlane_b32 s0, v0
                 | s_endpgm)");
}

TEST(LiveRegisters, of_writes_to_some_lanes) {
  expect_live("gfx942", R"(
      v0         | v_writelane_b32 v0, s0, 3
      v0         | v_mov_b32 v1, 0
      v0-1       | v_mov_b32_dpp v1, v0 row_shr:1 row_mask:0xf bank_mask:0xf
      v1         | v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
      v2         | v_add_f32 v2, v2, v2
      v2         | v_readlane_b32 s0, v2, 5
                 | s_endpgm)");
  expect_live("gfx1100", R"(
      v0         | v_cvt_f32_i32_dpp v2, v0 dpp8:[7,6,5,4,3,2,1,0]
      v0 v2      | v_fmac_f32_dpp v2, v0, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf bound_ctrl:1
      v0 v2      | v_swap_b32 v0, v2
      v0 v2      | v_sub_f32 v2, v0, v2
      v2         | v_readlane_b32 s0, v2, 5
                 | s_endpgm)");
}

// A register by index may be any that the wave has, from the one that is named on.
TEST(LiveRegisters, of_registers_by_index) {
  expect_live("gfx1100", R"(
      v3-7       | v_mov_b32 v2, 0
      v2-7       | v_movrels_b32 v0, v2
      v0 v3      | v_movreld_b32 v3, v0
      v3         | v_readfirstlane_b32 s0, v3
                 | s_endpgm)",
              8);
  expect_live("gfx942", R"(
      v1-7       | s_set_gpr_idx_on s0, gpr_idx(SRC0)
      v1-7       | v_mov_b32 v1, v2
      v1         | s_set_gpr_idx_off
      v1         | v_mov_b32 v0, v1
      v0         | v_readfirstlane_b32 s0, v0
                 | s_endpgm)",
              8);
}

// What is read on a path that nobody takes was not written before.
TEST(LiveRegisters, have_been_written) {
  expect_live("gfx942", R"(
      v0         | v_cmp_gt_u32 vcc, 8, v0
                 | s_cbranch_vccz after
                 | v_mov_b32 v1, 1.0
    after:
      v1         | v_readfirstlane_b32 s0, v1
                 | v_mov_b32 v2, 0
      v2         | v_writelane_b32 v2, s0, 3
      v2         | v_readlane_b32 s0, v2, 5
                 | s_endpgm)",
              256, work_item_ids());
  // A function may have written anything, and so may an index.
  expect_live("gfx1100", R"(
                 | s_swappc_b64 s[30:31], s[4:5]
      v5         | v_mov_b32 v0, v5
      v0         | v_readfirstlane_b32 s0, v0
                 | s_endpgm)",
              8, work_item_ids());
  expect_live("gfx1100", R"(
      v0         | v_movreld_b32 v4, v0
      v5         | v_add_f32 v0, v5, v3
      v0         | v_readfirstlane_b32 s0, v0
                 | s_endpgm)",
              8, work_item_ids());
}

TEST(LiveRegisters, go_on_over_calls) {
  expect_live("gfx942", R"(
      v1 v40     | v_mov_b32 v0, v1
      v40        | s_swappc_b64 s[30:31], s[4:5]
      v40        | v_add_f32 v0, v40, v40
      v0         | v_readfirstlane_b32 s0, v0
                 | s_endpgm)");
}

TEST(LiveRegisters, of_nothing) {
  const Code code = analysed("gfx942", "", 256, {});
  EXPECT_TRUE(code.live.at.empty());
  EXPECT_EQ(code.live.most().both(), 0u);
}

}  // namespace
}  // namespace hipsight::analysis
