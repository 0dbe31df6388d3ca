// Names across generations: what the assembler writes, and the one name the decoder gives.
#include "isa/aliases.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "assemble.h"
#include "isa/decode.h"
#include "isa/entries/all.h"

namespace hipsight::test {
namespace {

std::string name_of(const char* processor, const char* text) {
  const auto code = assemble(processor, text);
  isa::Decoder decoder(processor);
  const auto instruction = decoder.decode(code, 0);
  return instruction ? std::string(instruction->name()) : "not decoded";
}

struct Same {
  const char *cdna, *rdna3, *rdna4, *name;
};
const Same same[] = {
    {"v_add_u32 v0, v1, v2", "v_add_nc_u32 v0, v1, v2", "v_add_nc_u32 v0, v1, v2", "V_ADD_U32"},
    {"v_sub_u32 v0, v1, v2", "v_sub_nc_u32 v0, v1, v2", "v_sub_nc_u32 v0, v1, v2", "V_SUB_U32"},
    {"v_subrev_u32 v0, v1, v2", "v_subrev_nc_u32 v0, v1, v2", "v_subrev_nc_u32 v0, v1, v2",
     "V_SUBREV_U32"},
    {"v_add_i32 v0, v1, v2", "v_add_nc_i32 v0, v1, v2", "v_add_nc_i32 v0, v1, v2", "V_ADD_I32"},
    {"v_add_u16 v0, v1, v2", "v_add_nc_u16 v0, v1, v2", "v_add_nc_u16 v0, v1, v2", "V_ADD_U16"},
    {"v_sub_i16 v0, v1, v2", "v_sub_nc_i16 v0, v1, v2", "v_sub_nc_i16 v0, v1, v2", "V_SUB_I16"},
    {"v_addc_co_u32 v0, vcc, v1, v2, vcc", "v_add_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo",
     "v_add_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo", "V_ADDC_CO_U32"},
    {"v_subbrev_co_u32 v0, vcc, v1, v2, vcc", "v_subrev_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo",
     "v_subrev_co_ci_u32 v0, vcc_lo, v1, v2, vcc_lo", "V_SUBBREV_CO_U32"},
    {"v_mad_u64_u32 v[0:1], vcc, v2, v3, v[4:5]", "v_mad_u64_u32 v[0:1], vcc_lo, v2, v3, v[4:5]",
     "v_mad_co_u64_u32 v[0:1], vcc_lo, v2, v3, v[4:5]", "V_MAD_U64_U32"},
    {"v_ffbh_u32 v0, v1", "v_clz_i32_u32 v0, v1", "v_clz_i32_u32 v0, v1", "V_FFBH_U32"},
    {"v_ffbl_b32 v0, v1", "v_ctz_i32_b32 v0, v1", "v_ctz_i32_b32 v0, v1", "V_FFBL_B32"},
    {"v_alignbit_b32 v0, v1, v2, v3", "v_alignbit_b32 v0, v1, v2, v3",
     "v_alignbit_b32 v0, v1, v2, v3", "V_ALIGNBIT_B32"},
    {"v_cvt_f32_f16 v0, v1", "v_cvt_f32_f16 v0, v1", "v_cvt_f32_f16 v0, v1", "V_CVT_F32_F16"},
    {"v_cvt_pkrtz_f16_f32 v0, v1, v2", "v_cvt_pk_rtz_f16_f32 v0, v1, v2",
     "v_cvt_pk_rtz_f16_f32 v0, v1, v2", "V_CVT_PKRTZ_F16_F32"},
    {"v_cvt_pknorm_i16_f16 v0, v1, v2", "v_cvt_pk_norm_i16_f16 v0, v1, v2",
     "v_cvt_pk_norm_i16_f16 v0, v1, v2", "V_CVT_PKNORM_I16_F16"},
    {"v_cvt_flr_i32_f32 v0, v1", "v_cvt_floor_i32_f32 v0, v1", "v_cvt_floor_i32_f32 v0, v1",
     "V_CVT_FLR_I32_F32"},
    {"v_cndmask_b32 v0, v1, v2, vcc", "v_cndmask_b32 v0, v1, v2, vcc_lo",
     "v_cndmask_b32 v0, v1, v2, vcc_lo", "V_CNDMASK_B32"},
    {"s_add_u32 s0, s1, s2", "s_add_u32 s0, s1, s2", "s_add_co_u32 s0, s1, s2", "S_ADD_U32"},
    {"s_addc_u32 s0, s1, s2", "s_addc_u32 s0, s1, s2", "s_add_co_ci_u32 s0, s1, s2", "S_ADDC_U32"},
    {"s_andn2_b64 s[0:1], s[2:3], s[4:5]", "s_and_not1_b64 s[0:1], s[2:3], s[4:5]",
     "s_and_not1_b64 s[0:1], s[2:3], s[4:5]", "S_ANDN2_B64"},
    {"s_ff1_i32_b32 s0, s1", "s_ctz_i32_b32 s0, s1", "s_ctz_i32_b32 s0, s1", "S_FF1_I32_B32"},
    {"s_load_dword s0, s[2:3], 0x4", "s_load_b32 s0, s[2:3], 0x4", "s_load_b32 s0, s[2:3], 0x4",
     "S_LOAD_DWORD"},
    {"s_load_dwordx16 s[0:15], s[16:17], 0x0", "s_load_b512 s[0:15], s[16:17], 0x0",
     "s_load_b512 s[0:15], s[16:17], 0x0", "S_LOAD_DWORDX16"},
    {"s_buffer_load_dwordx4 s[0:3], s[4:7], 0x0", "s_buffer_load_b128 s[0:3], s[4:7], 0x0",
     "s_buffer_load_b128 s[0:3], s[4:7], 0x0", "S_BUFFER_LOAD_DWORDX4"},
    {"ds_read_b128 v[0:3], v4", "ds_load_b128 v[0:3], v4", "ds_load_b128 v[0:3], v4",
     "DS_READ_B128"},
    {"ds_write2_b32 v0, v1, v2", "ds_store_2addr_b32 v0, v1, v2", "ds_store_2addr_b32 v0, v1, v2",
     "DS_WRITE2_B32"},
    {"global_load_dwordx4 v[0:3], v4, s[0:1]", "global_load_b128 v[0:3], v4, s[0:1]",
     "global_load_b128 v[0:3], v4, s[0:1]", "GLOBAL_LOAD_DWORDX4"},
    {"global_store_short v0, v1, s[0:1]", "global_store_b16 v0, v1, s[0:1]",
     "global_store_b16 v0, v1, s[0:1]", "GLOBAL_STORE_SHORT"},
    {"global_atomic_add v0, v1, s[0:1]", "global_atomic_add_u32 v0, v1, s[0:1]",
     "global_atomic_add_u32 v0, v1, s[0:1]", "GLOBAL_ATOMIC_ADD"},
    {"buffer_load_dword v0, off, s[0:3], 0", "buffer_load_b32 v0, off, s[0:3], 0",
     "buffer_load_b32 v0, off, s[0:3], null", "BUFFER_LOAD_DWORD"},
};

TEST(Aliases, GiveOneNameToOneMeaning) {
  for (const Same& s : same) {
    for (const char* processor : {"gfx90a", "gfx942", "gfx950"})
      EXPECT_EQ(name_of(processor, s.cdna), s.name) << processor;
    EXPECT_EQ(name_of("gfx1100", s.rdna3), s.name);
    EXPECT_EQ(name_of("gfx1201", s.rdna4), s.name);
  }
}

TEST(Aliases, KeepDifferentMeaningsApart) {
  // RDNA3 swapped the operands of compare-and-store.
  EXPECT_NE(name_of("gfx90a", "ds_cmpst_b32 v0, v1, v2"),
            name_of("gfx1100", "ds_cmpstore_b32 v0, v1, v2"));
  // v_add_u32 neither writes nor reads a carry; v_add_co_u32 writes one.
  EXPECT_NE(name_of("gfx90a", "v_add_u32 v0, v1, v2"),
            name_of("gfx90a", "v_add_co_u32 v0, vcc, v1, v2"));
  // A signaling NaN comes out of them differently.
  EXPECT_NE(name_of("gfx1100", "v_min_f32 v0, v1, v2"),
            name_of("gfx1201", "v_min_num_f32 v0, v1, v2"));
}

TEST(Aliases, LeadToNamesThatStay) {
  for (const char* name : {"V_ADD_NC_U32", "S_LOAD_B32", "V_COS_F16V_COS_F16", "V_MOV_B32"})
    EXPECT_EQ(isa::canonical(isa::canonical(name)), isa::canonical(name));
}

TEST(Entries, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  isa::HIPSIGHT_HOST_ISA::for_each_group([&](const auto& group) {
    group.apply([&](const auto&... entry) {
      for (const std::string_view name : {entry.name...}) {
        EXPECT_TRUE(names.insert(name).second) << name << " is defined twice";
        EXPECT_EQ(isa::canonical(name), name) << "never looked up";
      }
    });
  });
}

}  // namespace
}  // namespace hipsight::test
