// Device code of paths_test.cpp: ways of control that compilers do not use. No HIP headers. All
// kernels take `in` and `out`.
#define GLOBAL __attribute__((global))

using u32 = unsigned int;

__attribute__((device)) static u32 item() {
  return __builtin_amdgcn_workitem_id_x();
}

#ifdef __gfx942__
#define STACK "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s20", "s40", "s41", "vcc", "scc"

// Lanes below in[0] add 1 and then 4, or 8 if below in[1]; the others add 100; afterwards, all add
// 1000. out[64 ...]: in which order paths were taken.
extern "C" GLOBAL void forks(const u32* in, u32* out) {
  u32 sum = 0, order = 0, when = 0;
  asm volatile(
      "s_mov_b32 s20, 0\n"
      "v_cmp_gt_u32 vcc, %4, %3\n"
      "s_cbranch_i_fork vcc, 1f\n"
      "v_add_u32 %0, 0x64, %0\n"
      "s_add_u32 %1, %1, 1\nv_mov_b32 %2, %1\n"
      "s_branch 4f\n"
      "1:\n"
      "v_add_u32 %0, 1, %0\n"
      "s_mov_b32 s21, 1\n"
      "v_cmp_gt_u32 vcc, %5, %3\n"
      "s_getpc_b64 s[40:41]\n"
      "5:\n"
      "s_add_u32 s40, s40, 2f-5b\ns_addc_u32 s41, s41, 0\n"
      "s_cbranch_g_fork vcc, s[40:41]\n"
      "v_add_u32 %0, 4, %0\n"
      "s_add_u32 %1, %1, 1\nv_mov_b32 %2, %1\n"
      "s_branch 3f\n"
      "2:\n"
      "v_add_u32 %0, 8, %0\n"
      "s_add_u32 %1, %1, 1\nv_mov_b32 %2, %1\n"
      "3:\n"
      "4:\n"
      "s_cbranch_join s20\n"
      "s_mov_b64 exec, -1\n"
      "v_add_u32 %0, 0x3e8, %0\n"
      : "+v"(sum), "+s"(order), "+v"(when)
      : "v"(item()), "s"(in[0]), "s"(in[1])
      : STACK, "s21");
  out[item()] = sum;
  out[64 + item()] = when;
}

// Vector instructions that are skipped, and scalar ones that are not; a call meanwhile.
__attribute__((device, noinline)) static u32 next(u32 a) {
  asm volatile("v_add_u32 %0, 1, %0\ns_nop 0" : "+v"(a));
  return a;
}
extern "C" GLOBAL void skips(const u32* in, u32* out) {
  u32 a = 5, scalar = 1;
  asm volatile(
      "s_mov_b32 s20, 4\n"
      "s_setvskip s20, 2\n"
      "v_mov_b32 %0, 7\n"
      "s_mov_b32 %1, 9\n"
      "s_cmp_eq_u32 %1, 9\n"
      "s_cbranch_scc1 1f\n"
      "s_mov_b32 %1, 10\n"
      "1:\n"
      "v_mov_b32 %0, 8\n"
      "s_setvskip s20, 0\n"
      "v_add_u32 %0, 1, %0\n"
      : "+v"(a), "+s"(scalar)
      :
      : "s20", "scc");
  out[item()] = next(a);
  if (item() == 0) out[64] = scalar;
}

// Two waves: the first waits at the GPU's semaphore for the second.
extern "C" GLOBAL void semaphores(const u32* in, u32* out) {
  const u32 wave = __builtin_amdgcn_readfirstlane(item() / 64);
  u32 others = 1;
#define GWS(TEXT)                                                                            \
  asm volatile("v_mov_b32 v10, %0\ns_mov_b32 m0, 0\n" TEXT "\ns_waitcnt vmcnt(0) lgkmcnt(0)" \
               :                                                                             \
               : "v"(others)                                                                 \
               : "memory", "v10")
  if (wave == 0) {
    GWS("ds_gws_init v10 offset:2 gds");
    GWS("ds_gws_barrier v10 offset:2 gds");
    out[2] = ((volatile u32*)out)[0];
    GWS("ds_gws_sema_p offset:3 gds");
    out[3] = ((volatile u32*)out)[1];
    GWS("ds_gws_sema_p offset:3 gds");
    GWS("ds_gws_sema_p offset:3 gds");
    out[4] = ((volatile u32*)out)[5];
  } else {
    out[0] = 42;
    GWS("ds_gws_barrier v10 offset:2 gds");
    out[1] = 43;
    GWS("ds_gws_sema_v offset:3 gds");
    out[5] = 44;
    others = 2;
    GWS("ds_gws_sema_br v10 offset:3 gds");
  }
}
#else

// Wave64's halves in turn, each once. in[0], in[1]: EXEC. out[64]: how often the loop ran.
extern "C" GLOBAL void halves(const u32* in, u32* out) {
  u32 a = 0, passes = 0, low = 0, high = 0;
  asm volatile(
      "s_mov_b32 exec_lo, %5\ns_mov_b32 exec_hi, %6\n"
      "s_subvector_loop_begin s20, 2f\n"
      "1:\n"
      "s_add_u32 %1, %1, 1\n"
      "v_add_nc_u32 %0, %1, %0\n"
      "s_subvector_loop_end s20, 1b\n"
      "2:\n"
      "s_mov_b32 %2, exec_lo\ns_mov_b32 %3, exec_hi\n"
      "s_mov_b64 exec, -1\n"
      : "+v"(a), "+s"(passes), "=&s"(low), "=&s"(high)
      : "v"(item()), "s"(in[0]), "s"(in[1])
      : "s20", "scc");
  out[item()] = a;
  if (item() == 0) out[64] = passes, out[65] = low, out[66] = high;
}
#endif
