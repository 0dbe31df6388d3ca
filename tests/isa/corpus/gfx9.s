# SOP1
s_mov_b32 s0, s1
s_mov_b32 vcc_lo, 0x12345678
s_mov_b32 m0, -16
s_mov_b32 exec_hi, 64
s_mov_b32 s101, 0.5
s_mov_b32 ttmp3, src_shared_base
s_mov_b64 s[2:3], exec
s_mov_b64 vcc, 0xdeadbeef
s_mov_b64 exec, -1
s_mov_b64 s[100:101], src_private_base
s_not_b64 s[0:1], s[4:5]
s_brev_b32 s0, ttmp15
s_bcnt1_i32_b64 s0, vcc
s_ff1_i32_b32 s7, -4.0
s_flbit_i32_b64 s9, s[10:11]
s_sext_i32_i8 s0, s1
s_bitset1_b32 s0, s1
s_bitset0_b64 s[0:1], 5
s_getpc_b64 s[4:5]
s_setpc_b64 s[30:31]
s_swappc_b64 s[30:31], s[4:5]
s_and_saveexec_b64 s[0:1], vcc
s_andn1_wrexec_b64 s[0:1], s[2:3]
s_cmov_b32 s0, 1.0
s_abs_i32 s0, src_scc
s_quadmask_b64 s[0:1], s[2:3]
# SOP2
s_add_u32 s0, s1, s2
s_addc_u32 s0, 0x7fffffff, s2
s_sub_i32 s0, s1, 0xffffff00
s_mul_i32 s0, 17, s2
s_mul_hi_u32 s0, s1, 1.0
s_and_b64 s[0:1], exec, vcc
s_cselect_b64 s[0:1], -1, 0
s_lshl_b64 s[0:1], s[2:3], 3
s_bfe_i64 s[0:1], s[2:3], 0x100000
s_bfm_b64 s[0:1], s2, s3
s_pack_lh_b32_b16 s0, s1, s2
s_lshl3_add_u32 s0, s1, s2
s_rfe_restore_b64 s[0:1], s2
# SOPC
s_cmp_eq_u32 s0, 0x1000
s_cmp_lg_i32 s0, s1
s_cmp_eq_u64 s[0:1], vcc
s_bitcmp1_b32 s0, 31
s_bitcmp0_b64 s[0:1], s2
# SOPK
s_movk_i32 s0, -1
s_movk_i32 s101, 0x7fff
s_cmpk_lt_i32 s3, -32768
s_cmpk_ge_u32 s3, 0xffff
s_addk_i32 s3, 100
s_mulk_i32 s3, -100
s_cmovk_i32 s3, 5
s_getreg_b32 s0, hwreg(HW_REG_MODE)
s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS, 3, 7)
s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s9
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0x1234
s_call_b64 s[0:1], 1024
# SOPP
s_nop 7
s_branch 65000
s_cbranch_scc0 12
s_cbranch_vccnz 65535
s_cbranch_execz 1
s_waitcnt vmcnt(3) lgkmcnt(0)
s_barrier
s_sleep 5
s_sethalt 1
s_setprio 3
s_sendmsg sendmsg(MSG_INTERRUPT)
s_trap 2
s_endpgm
# SMEM
s_load_dword s0, s[2:3], 0x0
s_load_dword s0, s[2:3], 0xfffff
s_load_dwordx2 s[0:1], s[2:3], -0x100000
s_load_dwordx4 s[4:7], s[2:3], s8
s_load_dwordx8 s[8:15], s[2:3], s8 offset:0x40
s_load_dwordx16 s[16:31], s[2:3], m0
s_load_dword vcc_lo, s[2:3], 0x10 glc
s_load_dwordx2 vcc, s[100:101], 0x8
s_buffer_load_dword s0, s[4:7], 0x14
s_buffer_load_dwordx4 s[8:11], s[4:7], s1
s_buffer_load_dwordx16 s[16:31], s[4:7], s1 offset:0x80
s_memtime s[0:1]
s_memrealtime s[2:3]
s_dcache_inv
s_dcache_wb
# VOP1
v_mov_b32_e32 v0, v255
v_mov_b32_e32 v255, s101
v_mov_b32_e32 v1, 0x3f800001
v_mov_b32_e32 v1, 0.15915494
v_mov_b32_e32 v1, src_vccz
v_mov_b32_e32 v1, -1
v_readfirstlane_b32 s5, v7
v_cvt_f64_i32_e32 v[2:3], v1
v_cvt_f32_f64_e32 v1, v[2:3]
v_cvt_f32_f64_e32 v1, s[2:3]
v_rcp_f64_e32 v[2:3], 4.0
v_cvt_f16_f32_e32 v1, v2
v_accvgpr_mov_b32 a3, a250
v_swap_b32 v1, v2
v_nop
v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1
v_cvt_f32_f16_sdwa v0, -|v1| dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
v_cvt_f32_f16_sdwa v0, s9 clamp mul:4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0
v_cvt_f32_i32_sdwa v0, sext(v1) dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_3
v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v1 row_shl:1 row_mask:0xa bank_mask:0x5 bound_ctrl:0
v_mov_b32_dpp v0, v1 row_shr:15 row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v1 row_ror:7 row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v1 wave_shl:1 row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v1 wave_rol:1 row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v1 wave_shr:1 row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v1 wave_ror:1 row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v1 row_half_mirror row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v1 row_bcast:15 row_mask:0xa bank_mask:0xf
v_mov_b32_dpp v0, v1 row_bcast:31 row_mask:0xc bank_mask:0xf
v_mov_b32_dpp v0, v1 row_newbcast:9 row_mask:0xf bank_mask:0xf
v_floor_f32_dpp v0, -|v1| quad_perm:[0,0,2,2] row_mask:0xf bank_mask:0xf
# VOP2
v_add_f32_e32 v0, 0x40490fdb, v2
v_add_f32_e32 v0, s3, v2
v_subrev_u32_e32 v0, vcc_hi, v2
v_cndmask_b32_e32 v0, v1, v2, vcc
v_add_co_u32_e32 v0, vcc, v1, v2
v_addc_co_u32_e32 v0, vcc, v1, v2, vcc
v_subbrev_co_u32_e32 v0, vcc, 0, v2, vcc
v_fmac_f32_e32 v0, v1, v2
v_fmac_f64_e32 v[0:1], v[2:3], v[4:5]
v_dot2c_f32_f16_e32 v0, v1, v2
v_pk_fmac_f16 v0, v1, v2
v_max_u16_e32 v0, 0x1234, v1
v_ldexp_f16_e32 v0, 0x3c00, v1
v_mul_f16_e32 v0, 0.15915494, v1
v_lshlrev_b32_e32 v0, 31, v1
v_add_f32_sdwa v0, v1, v2 dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_0
v_add_f32_sdwa v0, -v1, |v2| clamp dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_1
v_add_u32_sdwa v0, v1, sext(v2) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_2
v_or_b32_sdwa v0, s1, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:WORD_0
v_cndmask_b32_sdwa v0, v1, v2, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
v_add_co_u32_sdwa v0, vcc, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
v_addc_co_u32_sdwa v0, vcc, v1, v2, vcc dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
v_add_f32_dpp v0, -v1, |v2| row_ror:3 row_mask:0xf bank_mask:0xf bound_ctrl:0
v_cndmask_b32_dpp v0, v1, v2, vcc row_shl:2 row_mask:0xf bank_mask:0xf
v_max_f16_dpp v0, |v1|, -v2 quad_perm:[1,0,3,2] row_mask:0x3 bank_mask:0xf
# VOPC
v_cmp_lt_f32_e32 vcc, v0, v1
v_cmp_eq_u32_e32 vcc, 0x10000, v1
v_cmp_gt_f64_e32 vcc, s[2:3], v[4:5]
v_cmpx_ne_u16_e32 vcc, v0, v1
v_cmp_class_f32_e32 vcc, v0, v1
v_cmp_eq_f32_sdwa vcc, v0, -v1 src0_sel:WORD_1 src1_sel:DWORD
v_cmp_eq_f32_sdwa s[6:7], |v0|, v1 src0_sel:DWORD src1_sel:DWORD
v_cmpx_lt_i32_sdwa s[2:3], sext(v0), v1 src0_sel:BYTE_1 src1_sel:DWORD
# VOP3
v_add_f32_e64 v0, -|s1|, v2 clamp
v_add_f32_e64 v0, s1, s1 mul:2
v_add_f32_e64 v0, v1, neg(1.0) mul:4
v_mul_f32_e64 v0, |v1|, -v2 clamp div:2
v_fma_f32 v0, v1, -v2, |v3|
v_fma_f64 v[0:1], v[2:3], s[4:5], -v[6:7]
v_fma_f16 v0, v1, v2, v3 op_sel:[1,0,1,1]
v_mad_u16 v0, v1, v2, v3 op_sel:[0,1,0,0]
v_med3_f32 v0, 0, v1, 1.0
v_bfe_u32 v0, v1, 8, 8
v_perm_b32 v0, v1, v2, s3
v_alignbit_b32 v0, v1, v2, 16
v_add_co_u32_e64 v0, s[2:3], v1, v2
v_addc_co_u32_e64 v0, s[2:3], v1, v2, s[4:5]
v_cndmask_b32_e64 v0, v1, -v2, s[6:7]
v_mad_u64_u32 v[0:1], s[2:3], v4, s5, v[6:7]
v_mad_i64_i32 v[0:1], vcc, v4, 5, 0
v_div_scale_f32 v0, vcc, v1, v2, v1
v_div_scale_f64 v[0:1], s[2:3], v[4:5], v[6:7], v[4:5]
v_div_fmas_f32 v0, v1, v2, v3
v_div_fixup_f64 v[0:1], v[2:3], v[4:5], v[6:7]
v_cmp_lt_f32_e64 s[2:3], -v0, |s1|
v_cmp_class_f64_e64 vcc, v[0:1], s4
v_cmpx_eq_u32_e64 exec, v0, v1
v_readlane_b32 s0, v1, s2
v_readlane_b32 vcc_lo, v1, 63
v_writelane_b32 v0, s1, m0
v_writelane_b32 v0, 7, 3
v_mbcnt_lo_u32_b32 v0, -1, 0
v_mbcnt_hi_u32_b32 v0, s1, v2
v_lshlrev_b64 v[0:1], 3, v[2:3]
v_ldexp_f64 v[0:1], v[2:3], v4
v_trig_preop_f64 v[0:1], v[2:3], 4
v_mul_lo_u32 v0, v1, s2
v_add_lshl_u32 v0, v1, v2, 4
v_cvt_pkrtz_f16_f32 v0, -v1, |v2|
v_pack_b32_f16 v0, v1, v2 op_sel:[1,1,0]
v_cvt_pk_i16_i32 v0, v1, v2
v_sad_u8 v0, v1, v2, 0x40
v_bcnt_u32_b32 v0, v1, 0
# VOP3P
v_pk_add_f16 v0, v1, v2
v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0] neg_hi:[0,1] clamp
v_pk_fma_f16 v0, v1, s2, v3 op_sel:[0,1,0] op_sel_hi:[1,0,1]
v_pk_mad_i16 v0, v1, v2, v3 clamp
v_pk_lshlrev_b16 v0, 4, v1 op_sel_hi:[0,1]
v_pk_mul_f16 v0, v1, 2.0
v_pk_fma_f32 v[0:1], v[2:3], s[4:5], v[6:7] op_sel_hi:[1,0,1]
v_pk_mul_f32 v[0:1], v[2:3], v[4:5] op_sel:[1,0] neg_lo:[0,1]
v_pk_add_f32 v[0:1], v[2:3], v[4:5]
v_pk_mov_b32 v[0:1], v[2:3], v[4:5] op_sel:[1,0]
v_fma_mix_f32 v0, v1, -|v2|, v3 op_sel:[1,0,0] op_sel_hi:[1,0,1]
v_fma_mixlo_f16 v0, |v1|, v2, -v3 clamp
v_fma_mixhi_f16 v0, v1, s2, v3 op_sel_hi:[0,1,0]
v_dot2_f32_f16 v0, v1, v2, v3 neg_lo:[1,0,0]
v_dot4_i32_i8 v0, v1, v2, v3 clamp
v_dot8_u32_u4 v0, v1, s2, 5
# matrix
v_mfma_f32_32x32x8f16 v[0:15], v[16:17], v[18:19], v[0:15]
v_mfma_f32_32x32x8f16 a[0:15], v[16:17], a[18:19], a[0:15]
v_mfma_f32_16x16x16f16 v[0:3], a[4:5], v[6:7], 0
v_mfma_f32_16x16x4f16 a[0:15], v[16:17], v[18:19], a[0:15] cbsz:2 abid:1 blgp:3
v_mfma_f32_4x4x4f16 v[0:3], v[4:5], v[6:7], 1.0 cbsz:1 abid:1
v_mfma_f32_16x16x4f32 v[0:3], v4, a5, v[8:11]
v_mfma_f32_32x32x1f32 a[0:31], a32, v33, a[0:31]
v_mfma_i32_4x4x4i8 v[0:3], v4, v5, v[8:11]
v_accvgpr_read_b32 v0, a255
v_accvgpr_write_b32 a255, v3
v_accvgpr_write_b32 a1, s3
v_accvgpr_write_b32 a1, 0.5
#only gfx90a
v_mfma_f64_16x16x4f64 v[0:7], v[8:9], v[10:11], v[0:7]
v_mfma_f64_4x4x4f64 a[0:1], v[2:3], v[4:5], a[0:1] blgp:3
v_mfma_i32_32x32x8i8 a[0:15], v16, v17, a[0:15]
#only gfx942 gfx950
v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7] neg:[1,0,1]
v_mfma_f64_4x4x4_4b_f64 a[0:1], v[2:3], a[4:5], a[0:1]
v_mfma_i32_32x32x16_i8 a[0:15], v[16:17], v[18:19], a[0:15]
v_mfma_f32_16x16x32_fp8_bf8 v[0:3], v[4:5], v[6:7], v[0:3]
v_mfma_f32_16x16x32_bf8_fp8 v[0:3], a[4:5], v[6:7], 0
v_lshl_add_u64 v[0:1], v[2:3], 4, v[6:7]
v_cvt_f32_fp8_e32 v0, v1
v_cvt_pk_f32_fp8_e32 v[0:1], v2
v_cvt_f32_fp8_sdwa v0, v1 src0_sel:BYTE_2
v_cvt_pk_f32_bf8_sdwa v[0:1], v2 src0_sel:WORD_1
v_cvt_pk_fp8_f32 v0, v1, v2
v_cvt_pk_bf8_f32 v0, -v1, v2 op_sel:[0,0,1]
v_cvt_sr_fp8_f32 v0, v1, v2 op_sel:[0,0,1,0]
v_cvt_sr_bf8_f32 v0, v1, s2 op_sel:[0,0,1,1]
#only gfx950
v_mfma_f32_32x32x16_f16 v[0:15], v[16:19], v[20:23], v[0:15]
v_mfma_f32_16x16x32_bf16 a[0:3], a[4:7], v[8:11], a[0:3] cbsz:1 abid:1
v_mfma_i32_16x16x64_i8 v[0:3], v[4:7], v[8:11], 0
v_bitop3_b32 v0, v1, v2, v3 bitop3:0x96
v_bitop3_b32 v0, s1, v2, 4 bitop3:0x1
v_bitop3_b16 v0, v1, v2, v3 bitop3:0xca
v_cvt_pk_bf16_f32 v0, v1, -v2
v_permlane32_swap_b32 v0, v1
v_permlane16_swap_b32_e32 v0, v1
v_minimum3_f32 v0, v1, v2, v3
v_pk_maximum3_f16 v0, v1, v2, v3
v_ashr_pk_i8_i32 v0, v1, v2, 3
v_prng_b32_e32 v0, v1
#all
# DS
ds_read_b32 v0, v1
ds_read_b32 v0, v1 offset:65535
ds_read_b32 a0, v1 offset:4
ds_read_b64 v[0:1], v2 offset:8
ds_read_b96 v[0:2], v4
ds_read_b128 a[0:3], v4 offset:16
ds_read_u8_d16_hi v0, v1
ds_read_u16_d16 v0, v1 offset:2
ds_read2_b32 v[0:1], v2 offset0:1 offset1:255
ds_read2_b64 v[0:3], v4 offset1:4
ds_read2st64_b32 v[0:1], v2 offset0:7 offset1:8
ds_read2st64_b64 v[0:3], v4 offset0:255
ds_write_b8 v0, v1 offset:3
ds_write_b16_d16_hi v0, v1
ds_write_b32 v0, a1
ds_write_b64 v0, v[2:3]
ds_write_b96 v0, v[2:4]
ds_write_b128 v0, v[4:7] offset:32
ds_write2_b32 v0, v1, v2 offset0:1 offset1:2
ds_write2_b64 v0, v[2:3], v[4:5] offset1:9
ds_write2st64_b32 v0, v1, v2 offset1:1
ds_write2st64_b64 v0, a[2:3], a[4:5] offset0:3 offset1:1
ds_add_u32 v0, v1
ds_add_rtn_u32 v0, v1, v2 offset:4
ds_add_f32 v0, v1
ds_add_rtn_f64 v[0:1], v2, v[4:5]
ds_max_rtn_i64 v[0:1], v2, v[4:5]
ds_cmpst_b32 v0, v1, v2
ds_cmpst_rtn_b64 v[0:1], v2, v[4:5], v[6:7] offset:8
ds_wrxchg_rtn_b32 v0, v1, v2
ds_bpermute_b32 v0, v1, v2 offset:4
ds_permute_b32 v0, v1, v2
ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,16)
ds_swizzle_b32 v0, v1 offset:1234
ds_nop
# FLAT, GLOBAL
flat_load_dword v0, v[2:3]
flat_load_dwordx4 a[0:3], v[4:5] offset:4095
flat_store_short_d16_hi v[2:3], v0
flat_atomic_add v[2:3], v4
flat_atomic_cmpswap_x2 v[2:3], v[4:7] offset:8
global_load_dword v0, v[2:3], off
global_load_dword v0, v[2:3], off offset:-4096
global_load_dword v0, v1, s[2:3] offset:4095
global_load_dwordx3 v[0:2], v3, s[2:3]
global_load_dwordx4 a[0:3], v[4:5], off
global_load_sbyte_d16_hi v0, v1, s[2:3]
global_store_byte v[2:3], v0, off
global_store_dwordx2 v1, v[2:3], s[4:5] offset:16
global_store_dwordx4 v[0:1], a[4:7], off
global_atomic_add v[0:1], v2, off
global_atomic_add_x2 v0, v[2:3], s[4:5]
global_atomic_cmpswap v0, v[2:3], s[4:5] offset:-8
global_atomic_add_f64 v[0:1], v[2:3], off
global_atomic_pk_add_f16 v0, v1, s[2:3]
#only gfx90a
global_load_dword v0, v[2:3], off glc slc scc
global_atomic_add v0, v[2:3], v4, off glc
global_atomic_cmpswap_x2 v[0:1], v2, v[4:7], s[0:1] glc
flat_atomic_swap v0, v[2:3], v4 glc
global_load_dword v[2:3], off lds
global_load_ubyte v0, s[2:3] offset:16 lds
buffer_load_dword v0, off, s[4:7], s1 glc slc scc
buffer_load_dword v1, s[4:7], s1 offen offset:16 lds
buffer_wbl2
buffer_invl2
#only gfx942 gfx950
global_load_dword v0, v[2:3], off sc0 nt sc1
global_atomic_add v0, v[2:3], v4, off sc0
flat_atomic_swap v0, v[2:3], v4 sc0 sc1
global_load_lds_dword v[2:3], off offset:4
global_load_lds_ushort v0, s[2:3]
buffer_load_dword v0, off, s[4:7], s1 sc0 nt sc1
buffer_load_dword off, s[4:7], s1 offset:16 lds
buffer_wbl2 sc0 sc1
buffer_inv sc1
scratch_load_dword v0, v1, s2 offset:4
scratch_store_dwordx4 v1, v[4:7], s2 offset:-4096
#only gfx950
global_load_lds_dwordx4 v[2:3], off
buffer_load_dwordx3 v0, s[4:7], 0 idxen lds
#all
# SCRATCH
scratch_load_dword v0, v1, off
scratch_load_dword v0, off, s2 offset:16
scratch_load_ubyte a0, off, s101 offset:-1
scratch_store_dword v1, v2, off offset:4095
scratch_store_dwordx3 off, v[2:4], s0
# MUBUF
buffer_load_dword v0, off, s[4:7], 0
buffer_load_dword v0, off, s[4:7], s1 offset:4095
buffer_load_dwordx2 v[0:1], v2, s[4:7], s1 offen
buffer_load_dwordx3 v[0:2], v3, s[4:7], m0 idxen offset:8
buffer_load_dwordx4 a[0:3], v[4:5], s[4:7], s1 idxen offen
buffer_load_ubyte_d16_hi v0, off, s[4:7], 64
buffer_load_short_d16 v0, v1, s[96:99], -1 offen
buffer_store_byte v0, off, s[4:7], s1
buffer_store_dwordx4 v[0:3], v4, s[4:7], 0 offen offset:16
buffer_atomic_add v0, off, s[4:7], 0
buffer_atomic_cmpswap_x2 v[0:3], v4, s[4:7], 0 idxen
buffer_atomic_pk_add_f16 v0, v1, s[4:7], 0 offen
