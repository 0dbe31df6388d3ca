// Device code of steps_test.cpp. No HIP headers.
#define GLOBAL __attribute__((global))

using u32 = unsigned int;

#ifdef __gfx942__
#define EXEC "s_mov_b64 exec, "
#define CONDITION "vcc"
#define ADD "v_add_u32"
#define TWO "v_mov_b32 v40, 7\nv_mov_b32 v41, 9\n"
#define ACCUMULATOR "v_accvgpr_write_b32 a1, v40\n"
#else
#define EXEC "s_mov_b32 exec_lo, "
#define CONDITION "vcc_lo"
#define ADD "v_add_nc_u32"
#define TWO "v_dual_mov_b32 v40, 7 :: v_dual_mov_b32 v41, 9\n"
#define ACCUMULATOR
#endif

/// Instructions whose every result the test spells out, from the marker on.
extern "C" GLOBAL void spelled_out(u32* out, const u32*) {
  const u32 item = __builtin_amdgcn_workitem_id_x();
  u32 result;
  asm volatile(
      "v_mov_b32 v42, %1\n"
      "s_mov_b32 s20, 0x1234\n"  // the marker
      "s_mov_b32 s20, 3\n"
      "s_nop 0\n"
      "s_mov_b32 s20, 3\n"
      "v_mov_b32 v40, s20\n"
      "v_lshlrev_b32 v41, 2, v42\n" EXEC "0x7c\n" ADD " v40, v41, v40\n" EXEC
      "-1\n"
      "v_cmp_gt_u32 " CONDITION
      ", 4, v42\n"
      "v_xor_b32 v41, 5, v42\n" ACCUMULATOR TWO
      "1:\n"
      "s_add_u32 s20, s20, -1\n"
      "s_cmp_lg_u32 s20, 1\n"
      "s_cbranch_scc1 1b\n"
      "s_barrier\n"
      "s_mov_b32 m0, 17\n"
      "v_mov_b32 %0, v40\n"
      : "=v"(result)
      : "v"(item)
      : "s20", "v40", "v41", "v42", "vcc", "scc", "memory"
#ifdef __gfx942__
        ,
        "a1"
#endif
  );
  out[item] = result;
}

/// Branches, a loop of many trips, LDS and a barrier.
extern "C" GLOBAL void busy(u32* out, const u32* in) {
  __attribute__((shared)) static u32 tile[256];
  const u32 item = __builtin_amdgcn_workitem_id_x();
  u32 sum = in[item];
  for (u32 i = 0; i < 300 + item % 7; ++i) {
    if ((sum ^ i) & 4)
      sum = sum * 5 + i;
    else
      sum += in[i % 64];
  }
  tile[item] = sum;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[__builtin_amdgcn_workgroup_id_x() * 256 + item] = tile[item ^ 64] + sum;
}
