# SOP1
s_mov_b32 s105, null
s_mov_b32 m0, s1
s_mov_b32 vcc_hi, 0x12345678
s_mov_b32 null, 0.15915494
s_mov_b64 exec, -1
s_mov_b64 s[0:1], src_shared_base
s_ctz_i32_b64 s0, s[2:3]
s_cls_i32 s0, src_scc
s_getpc_b64 s[4:5]
s_swappc_b64 s[30:31], s[4:5]
s_and_saveexec_b32 s0, vcc_lo
s_and_not1_saveexec_b64 s[0:1], s[2:3]
s_bitset1_b32 s0, 3
s_bitreplicate_b64_b32 s[0:1], s2
# SOP2
s_add_u32 s0, s1, 0x12345678
s_mul_hi_i32 s0, ttmp0, -16
s_and_not1_b64 s[0:1], exec, vcc
s_cselect_b32 s0, 1.0, s2
s_pack_hl_b32_b16 s0, s1, s2
s_lshl2_add_u32 s0, s1, s2
s_bfe_u64 s[0:1], s[2:3], s4
# SOPC
s_cmp_lt_i32 s0, 0xffff0000
s_cmp_lg_u64 s[0:1], 0
s_bitcmp1_b64 s[0:1], 33
# SOPK
s_movk_i32 s0, 0x8000
s_cmpk_lg_u32 s3, 0x8000
s_addk_i32 vcc_lo, -5
s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)
s_setreg_b32 hwreg(HW_REG_MODE, 2, 2), s9
s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xff
s_call_b64 s[30:31], 65000
s_waitcnt_vscnt null, 0x3
# SOPP
s_nop 3
s_clause 0x3f
s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT) | instid1(TRANS32_DEP_2)
s_waitcnt vmcnt(0) expcnt(7) lgkmcnt(63)
s_branch 100
s_cbranch_execnz 65530
s_barrier
s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
s_round_mode 0x5
s_denorm_mode 0xf
s_code_end
s_endpgm
# SMEM
s_load_b32 s0, s[2:3], null
s_load_b32 s0, s[2:3], 0xfffff
s_load_b64 s[0:1], s[2:3], -0x100000 glc
s_load_b128 s[4:7], s[2:3], s8 dlc
s_load_b256 s[8:15], s[2:3], s8 offset:0x40
s_load_b512 s[16:31], s[2:3], 0x40 glc dlc
s_buffer_load_b32 s0, s[4:7], s9
s_buffer_load_b128 s[8:11], s[4:7], s9 offset:0x10
s_dcache_inv
s_gl1_inv
# VOP1
v_mov_b32_e32 v255, 0x12345678
v_mov_b32_e32 v0, src_private_limit
v_readfirstlane_b32 s105, v9
v_cvt_f64_f32_e32 v[0:1], s3
v_mov_b16_e32 v127.h, v1.l
v_cvt_f16_f32_e32 v5.h, v200
v_cvt_f32_f16_e32 v200, v5.h
v_rcp_f16_e32 v1.l, 0x1234
v_swap_b32 v1, v2
v_permlane64_b32 v1, v2
v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf fi:1
v_mov_b32_dpp v0, v1 row_shl:15 row_mask:0xf bank_mask:0xf bound_ctrl:1
v_mov_b32_dpp v0, v1 row_share:3 row_mask:0x1 bank_mask:0x2
v_mov_b32_dpp v0, v1 row_xmask:15 row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v1 row_half_mirror row_mask:0xf bank_mask:0xf
v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0]
v_floor_f16_dpp v0.h, -|v1.l| row_ror:2 row_mask:0xf bank_mask:0xf
v_cvt_f32_f16_dpp v0, v1.h dpp8:[0,1,2,3,4,5,6,7] fi:1
# VOP2
v_add_f32_e32 v0, 0x3f800001, v2
v_cndmask_b32_e32 v0, v1, v2, vcc_lo
v_add_co_ci_u32_e32 v0, vcc_lo, v1, v2, vcc_lo
v_fmac_f32_e32 v0, s1, v2
v_fmamk_f32 v0, v1, 0x40490fdb, v2
v_fmaak_f32 v0, s1, v2, 0x40490fdb
v_fmamk_f16 v0.h, v1.l, 0x1234, v2.h
v_fmaak_f16 v0.l, v1.h, v2.l, 0x1234
v_add_f16_e32 v5.l, v6.h, v7.l
v_pk_fmac_f16 v0, v1, v2
v_dot2acc_f32_f16 v0, v1, v2
v_ldexp_f16_e32 v0.l, 1.0, v1.h
v_add_f32_dpp v0, -v1, |v2| row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1
v_mul_f16_dpp v0.l, v1.h, v2.l quad_perm:[1,1,1,1] row_mask:0xf bank_mask:0xf
v_cndmask_b32_dpp v0, v1, v2, vcc_lo dpp8:[1,0,3,2,5,4,7,6]
v_add_co_ci_u32_dpp v0, vcc_lo, v1, v2, vcc_lo quad_perm:[3,3,3,3] row_mask:0xf bank_mask:0xf
# VOPC
v_cmp_lt_f32_e32 vcc_lo, s0, v1
v_cmp_gt_f16_e32 vcc_lo, v1.h, v2.l
v_cmpx_eq_u32_e32 v0, v1
v_cmpx_class_f64_e32 v[0:1], v2
v_cmp_eq_u64_e32 vcc_lo, 5, v[2:3]
v_cmp_lt_f32_dpp vcc_lo, -v0, |v1| row_shl:3 row_mask:0xf bank_mask:0xf
v_cmpx_ne_i16 v0.l, v1.h quad_perm:[2,3,0,1] row_mask:0xf bank_mask:0xf
v_cmp_le_i32_dpp vcc_lo, v0, v1 dpp8:[7,0,6,1,5,2,4,3]
# VOP3
v_add_f32_e64 v0, -|s1|, v2 clamp mul:2
v_add_f32_e64 v0, s1, 0x12345678
v_fma_f32 v0, v1, 0x40490fdb, -|v3|
v_fma_f32 v0, 0x40490fdb, v2, v3 div:2
v_fma_f32 v0, v1, v2, 0x40490fdb mul:4
v_fma_f64 v[0:1], v[2:3], -v[4:5], 0x40490fdb
v_add_f16_e64 v200.h, v201.l, -v202.h clamp
v_fma_f16 v0.h, v1.l, |v2.h|, -v3.l
v_mad_u16 v0.l, v1.h, s2, v3.l
v_med3_i16 v0.h, v1.l, 5, v3.h
v_cndmask_b16 v0.l, v1.h, v2.l, s3
v_add_co_u32 v0, s1, v2, v3
v_add_co_ci_u32_e64 v0, s1, v2, v3, s4
v_mad_u64_u32 v[0:1], s2, v4, 0x12345, v[6:7]
v_div_scale_f32 v0, vcc_lo, v1, v2, v1
v_div_fmas_f64 v[0:1], v[2:3], v[4:5], v[6:7]
v_cmp_lt_f32_e64 s2, -v0, |s1|
v_cmp_lt_f16_e64 s2, v0.h, |v200.l|
v_cmpx_gt_u32_e64 v0, s1
v_readlane_b32 s0, v1, 0x12
v_writelane_b32 v0, s1, s2
v_permlane16_b32 v0, v1, s2, s3 op_sel:[1,1]
v_permlanex16_b32 v0, v1, 5, s3
v_lshlrev_b16 v0.h, v1.l, v2.h
v_maxmin_f32 v0, v1, -v2, v3
v_dot2_f16_f16 v0.h, v1, v2, v3.h
v_bfi_b32 v0, s1, v2, 0x0f0f0f0f
v_mbcnt_lo_u32_b32 v0, -1, v1
v_fma_f32_e64_dpp v0, -v1, v2, |v3| row_shl:1 row_mask:0xf bank_mask:0xf
v_add_f32_e64_dpp v0, v1, -v2 clamp mul:2 quad_perm:[3,2,1,0] row_mask:0x7 bank_mask:0xe bound_ctrl:1 fi:1
v_med3_f32_e64_dpp v0, v1, v2, s3 dpp8:[0,0,0,0,4,4,4,4]
v_fma_f16_e64_dpp v0.h, v1.l, -v2.h, v3.l row_xmask:1 row_mask:0xf bank_mask:0xf
v_cmp_lt_f32_e64_dpp s5, -v0, |v1| row_share:1 row_mask:0xf bank_mask:0xf
v_cndmask_b32_e64_dpp v0, v1, v2, s3 dpp8:[7,7,7,7,0,0,0,0]
v_add_co_ci_u32_e64_dpp v0, s1, v2, v3, s4 row_mirror row_mask:0xf bank_mask:0xf
# VOP3P
v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0] neg_hi:[0,1] clamp
v_pk_fma_f16 v0, v1, 0x12345678, v3
v_pk_mul_lo_u16 v0, v1, 7 op_sel_hi:[1,0]
v_fma_mix_f32 v0, v1, -|v2|, s3 op_sel:[1,0,0] op_sel_hi:[1,0,1]
v_fma_mixhi_f16 v0, -v1, v2, |v3| op_sel:[0,1,0] op_sel_hi:[0,1,0] clamp
v_dot2_f32_bf16 v0, v1, v2, v3
v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,0,0] clamp
v_dot8_i32_iu4 v0, v1, s2, v3 neg_lo:[0,1,0]
v_dot2_f32_f16_e64_dpp v0, v1, v2, v3 neg_hi:[1,0,0] row_shl:1 row_mask:0xf bank_mask:0xf
v_fma_mix_f32_e64_dpp v0, v1, v2, v3 op_sel_hi:[1,1,1] dpp8:[0,1,2,3,4,5,6,7]
v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]
v_wmma_f32_16x16x16_bf16 v[0:7], v[8:15], v[16:23], 1.0
v_wmma_f16_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] op_sel:[0,0,1]
v_wmma_i32_16x16x16_iu8 v[0:7], v[8:11], v[12:15], v[0:7] neg_lo:[1,1,0] clamp
v_wmma_i32_16x16x16_iu4 v[0:7], v[8:9], v[10:11], v[0:7] neg_lo:[0,1,0]
v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7] neg_lo:[1,0,1] neg_hi:[0,1,1]
# VOPD
v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2
v_dual_add_f32 v0, s1, v2 :: v_dual_mul_f32 v3, v4, v5
v_dual_fmac_f32 v0, v1, v2 :: v_dual_fmac_f32 v3, v4, v5
v_dual_fmamk_f32 v0, v1, 0x40490fdb, v2 :: v_dual_mov_b32 v3, v4
v_dual_fmaak_f32 v0, v1, v2, 0x40490fdb :: v_dual_mul_f32 v3, 0x40490fdb, v5
v_dual_fmaak_f32 v0, s1, v2, 0x40490fdb :: v_dual_fmamk_f32 v3, v4, 0x40490fdb, v7
v_dual_mul_f32 v0, 0x40490fdb, v2 :: v_dual_fmaak_f32 v3, v4, v5, 0x40490fdb
v_dual_cndmask_b32 v0, v1, v2 :: v_dual_cndmask_b32 v3, v4, v5
v_dual_add_f32 v254, -4.0, v2 :: v_dual_lshlrev_b32 v255, 3, v5
v_dual_max_f32 v1, v2, v3 :: v_dual_add_nc_u32 v0, v5, v6
v_dual_subrev_f32 v1, v2, v3 :: v_dual_and_b32 v4, s5, v6
v_dual_dot2acc_f32_f16 v0, v1, v2 :: v_dual_mov_b32 v3, s4
# DS
ds_load_b32 v0, v1 offset:65535
ds_load_b128 v[0:3], v4
ds_load_u16_d16_hi v0, v1
ds_load_2addr_b32 v[0:1], v2 offset0:1 offset1:2
ds_load_2addr_stride64_b64 v[0:3], v4 offset1:255
ds_store_b8_d16_hi v0, v1
ds_store_b96 v0, v[1:3]
ds_store_2addr_b64 v0, v[1:2], v[3:4] offset0:3
ds_store_2addr_stride64_b32 v0, v1, v2 offset0:1
ds_add_rtn_u32 v0, v1, v2
ds_add_f32 v0, v1
ds_cmpstore_b32 v0, v1, v2
ds_cmpstore_rtn_b64 v[0:1], v2, v[3:4], v[5:6]
ds_storexchg_rtn_b32 v0, v1, v2
ds_bpermute_b32 v0, v1, v2 offset:4
ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,8,3)
# FLAT, GLOBAL, SCRATCH
flat_load_b32 v0, v[2:3] offset:4095 glc slc dlc
flat_store_b96 v[2:3], v[4:6]
flat_atomic_add_u32 v0, v[2:3], v4 glc
global_load_b32 v0, v[2:3], off offset:-4096
global_load_b128 v[0:3], v4, s[2:3] offset:4095 slc
global_load_d16_hi_b16 v0, v1, s[2:3]
global_load_u8 v0, v1, s[104:105] dlc
global_store_d16_hi_b8 v[2:3], v0, off
global_store_b64 v1, v[2:3], s[4:5]
global_atomic_add_f32 v[0:1], v2, off
global_atomic_cmpswap_b64 v[0:1], v2, v[4:7], s[8:9] glc
global_atomic_inc_u32 v0, v1, s[2:3]
scratch_load_b32 v0, v1, off offset:-4096
scratch_load_b32 v0, off, s1 offset:4
scratch_load_b32 v0, off, off offset:8
scratch_load_b64 v[0:1], v2, s3 offset:16
scratch_store_b128 off, v[0:3], s4
scratch_store_b8 v1, v2, s3
# MUBUF
buffer_load_b32 v0, off, s[4:7], 0
buffer_load_b32 v0, off, s[4:7], null offset:4095
buffer_load_b64 v[0:1], v2, s[4:7], s1 offen glc
buffer_load_b96 v[0:2], v3, s[4:7], m0 idxen slc
buffer_load_b128 v[0:3], v[4:5], s[4:7], s1 idxen offen dlc
buffer_store_b16 v0, off, s[4:7], 0.5
buffer_store_b128 v[0:3], v4, s[4:7], 0 offen offset:16
buffer_atomic_add_u32 v0, off, s[4:7], 0
buffer_atomic_cmpswap_b64 v[0:3], v4, s[4:7], 0 idxen glc
buffer_gl0_inv
buffer_gl1_inv
