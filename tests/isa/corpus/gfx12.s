# SOP1
s_mov_b32 s105, null
s_mov_b64 exec, 0x12345678
s_mov_b64 s[0:1], src_private_base
s_clz_i32_u32 s0, s1
s_cvt_f32_i32 s0, s1
s_ceil_f32 s0, 2.0
s_rndne_f16 s0, 0x1234
s_and_saveexec_b32 s0, vcc_lo
s_barrier_signal -1
s_barrier_signal m0
s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_REALTIME)
s_getpc_b64 s[4:5]
s_setpc_b64 s[30:31]
# SOP2
s_add_co_u32 s0, s1, 0x12345678
s_add_co_ci_u32 s0, s1, -1
s_add_nc_u64 s[0:1], s[2:3], 0x100
s_mul_u64 s[0:1], s[2:3], vcc
s_add_f32 s0, s1, 1.0
s_fmac_f32 s0, s1, s2
s_fmamk_f32 s0, s1, 0x40490fdb, s2
s_fmaak_f32 s0, s1, s2, 0x40490fdb
s_max_num_f16 s0, s1, 0x3c01
s_cvt_pk_rtz_f16_f32 s0, s1, s2
# SOPC
s_cmp_eq_f32 s0, 1.0
s_cmp_nlt_f16 s0, s1
s_cmp_lg_u64 s[0:1], s[2:3]
# SOPK
s_movk_i32 s0, -1
s_addk_co_i32 s0, 0x7fff
s_mulk_i32 s0, 3
s_getreg_b32 s0, hwreg(HW_REG_WAVE_MODE, 0, 4)
s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 0, 8), 0xff
s_call_b64 s[30:31], 4
# SOPP
s_nop 0
s_wait_loadcnt 0x3
s_wait_storecnt_dscnt 0x0
s_wait_alu depctr_va_vdst(0)
s_barrier_wait 0xffff
s_branch 3
s_cbranch_vccz 65535
s_sleep 1
s_endpgm
# SMEM
s_load_b32 s0, s[2:3], 0x0
s_load_b32 s0, s[2:3], 0x7fffff
s_load_b64 s[0:1], s[2:3], -0x800000
s_load_b96 s[4:6], s[2:3], s8 offset:0x0
s_load_b128 s[4:7], s[2:3], s8 offset:0x40 th:TH_LOAD_NT scope:SCOPE_SYS
s_load_b512 s[16:31], s[2:3], m0 offset:0x10
s_load_u8 s0, s[2:3], 0x3
s_load_i16 s0, s[2:3], 0x2 scope:SCOPE_DEV
s_buffer_load_b32 s0, s[4:7], 0x10
s_buffer_load_b128 s[8:11], s[4:7], s9 offset:0x10
s_prefetch_inst s[2:3], 0x10, s4, 3
s_dcache_inv
# VOP1
v_mov_b32_e32 v255, 0x12345678
v_readfirstlane_b32 s105, v9
v_cvt_f32_fp8_e32 v0, v1
v_cvt_pk_f32_bf8_e32 v[0:1], v2
v_cvt_f32_fp8_e64 v0, v1 byte_sel:2
v_cvt_pk_f32_fp8_e64 v[0:1], v2 op_sel:[1,0]
v_mov_b32_dpp v0, v1 row_share:3 row_mask:0xf bank_mask:0xf fi:1
v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0] fi:1
v_floor_f32_dpp v0, -|v1| row_xmask:2 row_mask:0xf bank_mask:0xf
v_s_exp_f32 s0, s1
v_s_rcp_f16 s0, s1
# VOP2
v_add_f32_e32 v0, 0x3f800001, v2
v_add_f64_e32 v[0:1], s[2:3], v[4:5]
v_min_num_f64_e32 v[0:1], v[2:3], v[4:5]
v_cndmask_b32_e32 v0, v1, v2, vcc_lo
v_sub_co_ci_u32_e32 v0, vcc_lo, v1, v2, vcc_lo
v_fmamk_f32 v0, v1, 0x40490fdb, v2
v_fmaak_f32 v0, 0x40490fdb, v2, 0x40490fdb
v_pk_fmac_f16 v0, v1, v2
v_lshlrev_b64_e32 v[0:1], 3, v[2:3]
v_add_f32_dpp v0, -v1, |v2| row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1 fi:1
# VOPC
v_cmp_lt_f32_e32 vcc_lo, s0, v1
v_cmpx_eq_u32_e32 v0, v1
v_cmp_lt_i64_e32 vcc_lo, 5, v[2:3]
v_cmp_lt_f32_dpp vcc_lo, -v0, |v1| row_shl:3 row_mask:0xf bank_mask:0xf
v_cmpx_le_i32 v0, v1 dpp8:[7,0,6,1,5,2,4,3]
# VOP3
v_add_f32_e64 v0, -|s1|, v2 clamp mul:2
v_fma_f32 v0, v1, 0x40490fdb, -|v3|
v_fma_f64 v[0:1], v[2:3], -v[4:5], 0x40490fdb
v_mad_co_u64_u32 v[0:1], s2, v4, 0x12345, v[6:7]
v_minimum3_f32 v0, v1, v2, -v3
v_maximumminimum_f32 v0, v1, v2, v3
v_div_scale_f64 v[0:1], vcc_lo, v[2:3], v[4:5], v[2:3]
v_cmp_class_f32_e64 s2, -v0, s1
v_cmpx_gt_u32_e64 v0, s1
v_permlane16_var_b32 v0, v1, v2 op_sel:[1,0]
v_permlanex16_b32 v0, v1, s2, s3 op_sel:[0,1]
v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1]
v_cvt_sr_bf8_f32 v0, v1, v2 byte_sel:3
v_fma_f32_e64_dpp v0, -v1, v2, |v3| row_shl:1 row_mask:0xf bank_mask:0xf
v_add_f32_e64_dpp v0, v1, s2 clamp mul:2 quad_perm:[3,2,1,0] row_mask:0x7 bank_mask:0xe bound_ctrl:1 fi:1
v_med3_num_f32_e64_dpp v0, v1, s2, s3 dpp8:[0,0,0,0,4,4,4,4]
v_cmp_lt_f32_e64_dpp s5, -v0, |v1| row_share:1 row_mask:0xf bank_mask:0xf
# VOP3P
v_pk_add_f16 v0, v1, v2 op_sel:[1,0] op_sel_hi:[0,1] neg_lo:[1,0] neg_hi:[0,1] clamp
v_pk_minimum_f16 v0, v1, v2
v_pk_fma_f16 v0, v1, 0x12345678, v3
v_fma_mix_f32 v0, v1, -|v2|, s3 op_sel:[1,0,0] op_sel_hi:[1,0,1]
v_fma_mixlo_f16 v0, -v1, v2, |v3| op_sel:[0,1,0] op_sel_hi:[0,1,0] clamp
v_dot2_f32_bf16 v0, v1, v2, v3
v_dot4_f32_fp8_bf8 v0, v1, v2, v3 neg_lo:[0,0,1]
v_dot4_i32_iu8 v0, v1, v2, v3 neg_lo:[1,0,0] clamp
v_dot2_f32_f16_e64_dpp v0, v1, v2, v3 neg_hi:[1,0,0] row_shl:1 row_mask:0xf bank_mask:0xf
v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]
v_wmma_f32_16x16x16_bf16 v[0:7], v[8:11], v[12:15], 1.0
v_wmma_f16_16x16x16_f16 v[0:3], v[8:11], v[12:15], v[0:3] neg_lo:[1,0,1] neg_hi:[0,1,1]
v_wmma_i32_16x16x16_iu8 v[0:7], v[8:9], v[10:11], v[0:7] neg_lo:[1,1,0] clamp
v_wmma_i32_16x16x32_iu4 v[0:7], v[8:9], v[10:11], v[0:7]
v_wmma_f32_16x16x16_fp8_bf8 v[0:7], v[8:9], v[10:11], v[0:7]
# VOPD
v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v3, v2
v_dual_add_f32 v0, s1, v2 :: v_dual_mul_f32 v3, v4, v5
v_dual_fmac_f32 v0, v1, v2 :: v_dual_fmac_f32 v3, v4, v5
v_dual_fmamk_f32 v0, v1, 0x40490fdb, v2 :: v_dual_fmaak_f32 v3, v4, v5, 0x40490fdb
v_dual_max_num_f32 v1, v2, v3 :: v_dual_add_nc_u32 v0, v5, v6
v_dual_cndmask_b32 v254, v1, v2 :: v_dual_lshlrev_b32 v255, 3, v5
v_dual_dot2acc_f32_bf16 v0, v1, v2 :: v_dual_min_num_f32 v3, s4, v7
# DS
ds_load_b32 v0, v1 offset:65535
ds_load_b128 v[0:3], v4
ds_load_2addr_b64 v[0:3], v4 offset0:1 offset1:2
ds_store_b96 v0, v[1:3]
ds_store_2addr_stride64_b32 v0, v1, v2 offset0:1
ds_add_rtn_f32 v0, v1, v2
ds_pk_add_f16 v0, v1
ds_min_num_f32 v0, v1
ds_cmpstore_rtn_b32 v0, v1, v2, v3
ds_bpermute_b32 v0, v1, v2
ds_swizzle_b32 v0, v1 offset:5
# FLAT, GLOBAL, SCRATCH
flat_load_b32 v0, v[2:3] offset:8388607
flat_store_b64 v[2:3], v[4:5] offset:64 th:TH_STORE_NT scope:SCOPE_SE
flat_atomic_add_u32 v0, v[2:3], v4 th:TH_ATOMIC_RETURN
global_load_b32 v0, v[2:3], off offset:-8388608
global_load_b128 v[0:3], v4, s[2:3] offset:8388607 th:TH_LOAD_HT
global_load_d16_hi_u8 v0, v1, s[2:3] scope:SCOPE_SYS
global_store_b64 v1, v[2:3], s[4:5]
global_store_d16_hi_b16 v[2:3], v0, off
global_atomic_pk_add_bf16 v[0:1], v2, off
global_atomic_cmpswap_b64 v[0:1], v2, v[4:7], s[8:9] th:TH_ATOMIC_RETURN scope:SCOPE_DEV
global_atomic_cond_sub_u32 v0, v1, s[2:3]
global_inv scope:SCOPE_DEV
global_wb scope:SCOPE_SYS
scratch_load_b32 v0, v1, off offset:-8388608
scratch_load_b32 v0, off, s1 offset:4
scratch_load_b32 v0, off, off offset:8
scratch_load_b64 v[0:1], v2, s3 offset:16
scratch_store_b128 off, v[0:3], s4
scratch_store_b8 v1, v2, s3
# VBUFFER
buffer_load_b32 v0, off, s[4:7], null
buffer_load_b32 v0, off, s[4:7], s1 offset:8388607
buffer_load_b64 v[0:1], v2, s[4:7], s1 offen th:TH_LOAD_NT
buffer_load_b96 v[0:2], v3, s[4:7], m0 idxen
buffer_load_b128 v[0:3], v[4:5], s[8:11], s1 idxen offen scope:SCOPE_SYS
buffer_store_b16 v0, off, s[4:7], null
buffer_store_d16_hi_b8 v0, v1, s[4:7], null offen offset:16
buffer_atomic_add_u32 v0, off, s[4:7], null
buffer_atomic_cmpswap_b64 v[0:3], v4, s[4:7], null idxen th:TH_ATOMIC_RETURN
